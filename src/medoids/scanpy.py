"""k-medoids of the cells of an AnnData object, as scanpy's own tools do it (extra `anndata`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._functions import k_medoids

if TYPE_CHECKING:
    from anndata import AnnData


def kmedoids(
    adata: AnnData,
    n_clusters: int = 8,
    *,
    use_rep: str | None = None,
    layer: str | None = None,
    metric: str = "l1",
    key_added: str = "kmedoids",
    sample_weight: Any = None,
    random_state: int = 0,
    copy: bool = False,
    **options: Any,
) -> AnnData | None:
    """Cluster cells around medoid cells.

    Parameters
    ----------
    adata : AnnData
        Annotated data; sparse counts stay sparse.
    n_clusters : int, default=8
    use_rep : str, default=None
        Cluster `.obsm[use_rep]`, such as "X_pca"; None is `.X`, or the layer.
    layer : str, default=None
        Cluster `.layers[layer]`.
    metric : str, default="l1"
    key_added : str, default="kmedoids"
        Where the result goes.
    sample_weight : str or array-like, default=None
        How much each cell counts: a column of `.obs`, or a number for each cell.
    random_state : int, default=0
    copy : bool, default=False
        Work on a copy and return it.
    **options
        As for :class:`medoids.KMedoids`.

    Returns
    -------
    AnnData or None
        None, or the copy. `.obs[key_added]` is a categorical of the clusters, and
        `.uns[key_added]` has "params", "medoids" (names of the medoid cells), "inertia",
        "n_iter" and "n_distances".

    Examples
    --------
    >>> from medoids.scanpy import kmedoids
    >>> kmedoids(adata, 12, use_rep="X_pca", metric="l2")  # doctest: +SKIP
    >>> adata.obs["kmedoids"].value_counts()  # doctest: +SKIP
    >>> adata.uns["kmedoids"]["medoids"]  # doctest: +SKIP
    """
    import pandas as pd

    if use_rep is not None and layer is not None:
        raise ValueError("use_rep and layer are both given: choose one.")
    target = adata.copy() if copy else adata
    found = k_medoids(
        _cells(target, use_rep, layer), n_clusters, metric=metric, random_state=random_state,
        sample_weight=_weights(target, sample_weight), **options,
    )  # fmt: skip
    names = [str(label) for label in range(n_clusters)]
    target.obs[key_added] = pd.Categorical(found.labels.astype(str), categories=names)
    params = {"n_clusters": n_clusters, "metric": metric, "random_state": random_state} | options
    params |= {"use_rep": use_rep, "layer": layer}
    params |= {"sample_weight": sample_weight} if isinstance(sample_weight, str) else {}
    target.uns[key_added] = {
        "params": {name: value for name, value in params.items() if value is not None},
        "medoids": np.asarray(target.obs_names[found.medoid_indices], dtype=object),
        "inertia": found.inertia,
        "n_iter": found.n_iter,
        "n_distances": found.n_distances,
    }
    return target if copy else None


def _weights(adata: Any, given: Any) -> Any:
    """How much each cell counts: as given, or the column of that name."""
    if not isinstance(given, str):
        return given
    if given not in adata.obs:
        there = ", ".join(map(repr, adata.obs)) or "nothing"
        raise ValueError(f"sample_weight={given!r} is not in .obs, which has {there}.")
    return adata.obs[given].to_numpy()


def _cells(adata: Any, use_rep: str | None, layer: str | None) -> Any:
    """The numbers that are asked for, a row for each cell."""
    for given, name, where in ((use_rep, "use_rep", "obsm"), (layer, "layer", "layers")):
        if given is not None:
            held = getattr(adata, where)
            if given not in held:
                there = ", ".join(map(repr, held)) or "nothing"
                raise ValueError(f"{name}={given!r} is not in .{where}, which has {there}.")
            return held[given]
    if adata.X is None:
        raise ValueError("adata.X is empty: name a layer, or use_rep.")
    return adata.X
