"""The scikit-learn estimator. It holds no algorithm."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _checks as check
from ._arrays import nearest_of, to_host, where
from ._centres import centres_of, rows_near
from ._fit import run
from ._history import HistoryEntry
from .data.elsewhere import data_of
from .data.kinds import Data
from .data.stored import deep, flat, learned_of, medoids_again
from .engines.compare import distances_between

_OF_COLUMNS = ("n_features_in_", "feature_names_in_")


class KMedoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """k-medoids clustering: PAM's medoids, found by adaptive search.

    The centres are rows of the data. The loss is the sum over all rows of the distance
    from the row's medoid to the row, times the row's weight.

    Parameters
    ----------
    n_clusters : int, default=8
        How many medoids to find.
    metric : str or callable, default="euclidean"
        The dissimilarity. Of rows, dense or sparse: "euclidean" ("l2"), "sqeuclidean",
        "cosine", "correlation", "manhattan" ("l1", "cityblock"), "chebyshev", "minkowski",
        "canberra", "braycurtis", "hamming", "jaccard", "haversine". Of objects in a list:
        "tree_edit", "levenshtein", "normalized_levenshtein", "damerau_levenshtein",
        "normalized_damerau_levenshtein". Of series: "dtw", "wdtw", "erp", "lcss", "msm", "twe".
        Of bits, packed or not: "tanimoto", "dice", "bit_hamming". Of frames of atoms: "rmsd".
        Of the rows of a mixed table: "gower". Of anything: a function of two objects, the
        medoid first. Or "precomputed" for a matrix whose row is the medoid and whose column is
        the point (square, or candidates by points); of new points, a row for each, so that the
        labels of the fit are `predict(X.T)`.
    metric_params : dict, default=None
        Parameters of the metric: `p` of "minkowski"; `insert`, `delete` and `rename` of
        "tree_edit"; `window` of "dtw" and those of its kin (docs/metrics.md); `weights` of
        "rmsd"; keywords of a function.
    method : str, default="banditpam"
        "banditpam" follows PAM by adaptive search, and "banditpam_original" is the published
        algorithm with all its constants. Of the others, "pam", "fastpam1", "fastpam" and
        "fasterpam" hold all n² distances in memory; "alternate" (Voronoi iteration),
        "clara", "clarans" and "onebatch" need less and end at a higher loss. See
        docs/methods.md.
    method_params : dict, default=None
        Parameters of one method only. "banditpam_original": `cache`, `paired`, `null_arm`
        (False) and `replacement` (True), our changes to it one by one. "clara": `n_sampling`
        (points in a sample, 40 + 2k), `n_sampling_iter` (samples, 5). "clarans": `num_local`
        (walks, 2), `max_neighbors` (useless swaps in a row that end a walk, 1.25% of k(n - k)
        and at least 250). "onebatch": `batch_size` (references, 100 ln(kn)), `weighting`
        (count each reference for the points it is nearest to, True).
    swap : {"best", "eager"}, default="best"
        What "banditpam" does in SWAP: take the best of all swaps, as PAM does; or, for many
        clusters, every good one that a search comes upon. Both end at a local optimum.
    init : {"build", "random", "k-medoids++", "lab"}, list of int, array or KMedoids, \
            default="build"
        Where to start: PAM's greedy BUILD, random rows, rows drawn far from each other, a
        BUILD on small samples (LAB), or the given rows. Centres of any origin, in an array of
        shape (n_clusters, n_features), or the medoids of an estimator that was fitted on these
        rows or on others: the rows nearest to them are taken.
    n_init : int or "auto", default="auto"
        How many starts to try; the best end is kept, and `history_` tells of each. Distances
        that are kept serve all of them. "auto" is 1: swaps mend most of a poor start, and
        `swap="eager"` tries several by itself. BUILD and given rows are always the same, so for
        methods that draw nothing else one start is enough, whatever is asked for.
    max_iter : int, default=300
        The most swaps to do; for methods that do many swaps a pass ("fastpam", "fasterpam",
        "alternate", "clarans", "onebatch" and `swap="eager"`) the most passes.
    delta : float, default=None
        The chance that a search is allowed to drop the best arm; smaller is safer and
        slower. None is 0.00003, or, for "banditpam_original", the paper's value.
    fixed : list of int or mask, default=None
        Rows that are medoids and stay, such as shops that exist: they are counted in
        `n_clusters`, and have the first labels. For all methods but "alternate" and "clara".
    candidates : list of int or mask, default=None
        The rows that may be medoids, besides those that are fixed. None: all. With a
        precomputed matrix that is not square, all its rows are candidates and its columns the
        points.
    memory_limit : float or str, default=None
        Bytes (or a text such as "300MB") for the distances that are kept. None is a quarter
        of the memory that is free, within the container's limit, and at least 2 GB if there
        is as much. With less, distances are computed again. On a GPU None is most of what is
        free there.
    device : str or device, default=None
        Where to compute: None is where the data is. "cuda", "cuda:1", ... moves a NumPy array
        to that GPU (extra `gpu`), and the results back. A torch or CuPy array is computed with
        where it lives, and `labels_`, `cluster_centers_` and `transform` are of its kind. See
        docs/gpu.md for the metrics and methods.
    n_jobs : int, default=None
        Threads; None or -1 is all cores. A function of the user's is called in so many
        processes, and in this one if it is None. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The order in which references are drawn; and all that a method draws at random.
    verbose : int, default=0
        1 shows a progress bar (with the extra `progress`), 2 also a line for each step.

    Attributes
    ----------
    medoid_indices_ : ndarray of int of shape (n_clusters,)
        The rows that are medoids.
    cluster_centers_ : ndarray or sparse matrix of shape (n_clusters, n_features), list or None
        Those rows, or objects; None for a precomputed matrix.
    labels_ : ndarray of int32 of shape (n_samples,)
        The cluster of each row, 0 to n_clusters - 1; the lowest one on a tie.
    inertia_ : float
        The loss.
    n_iter_ : int
        Swaps done; for "alternate" the rounds in which medoids moved.
    n_distances_ : int
        Distances computed, also those that only show how to compute others; one that was kept
        and used again counts once. Where n² of them fit into `memory_limit`, "banditpam"
        computes no more than that and a few percent.
    history_ : list of dict
        A record for each BUILD step and each SWAP step (or pass): phase, step, arms, swaps,
        rounds (arms, references and survivors of each), distances, loss, sigma (minimum,
        quartiles and maximum over the arms) and seconds. The losses of "onebatch" are
        estimates from its batch.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, if they have any.

    References
    ----------
    M. Tiwari et al., "BanditPAM: Almost Linear Time k-Medoids Clustering via
    Multi-Armed Bandits", NeurIPS 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from medoids import KMedoids
    >>> X, _ = load_digits(return_X_y=True)
    >>> km = KMedoids(n_clusters=10, random_state=0).fit(X)
    >>> km.cluster_centers_.shape
    (10, 64)
    >>> bool((km.predict(X) == km.labels_).all())
    True
    """

    medoid_indices_: NDArray[np.int64]
    cluster_centers_: Any
    labels_: NDArray[np.int32]
    inertia_: float
    n_iter_: int
    n_distances_: int
    history_: list[HistoryEntry]
    _compared_by: dict[str, Any]
    _made: Data | None = None
    # The one that users know, and that a pickle names.
    __module__ = "medoids"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str | Callable[[Any, Any], float] = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        method: str = "banditpam",
        method_params: Mapping[str, Any] | None = None,
        swap: str = "best",
        init: str | Sequence[int] | ArrayLike | KMedoids = "build",
        n_init: int | str = "auto",
        max_iter: int = 300,
        delta: float | None = None,
        fixed: Sequence[int] | NDArray[np.bool_] | None = None,
        candidates: Sequence[int] | NDArray[np.bool_] | None = None,
        memory_limit: float | str | None = None,
        device: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.metric_params = metric_params
        self.method = method
        self.method_params = method_params
        self.swap = swap
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.delta = delta
        self.fixed = fixed
        self.candidates = candidates
        self.memory_limit = memory_limit
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
    ) -> KMedoids:
        """Find the medoids of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or a square matrix of distances if `metric` is "precomputed".
        y : ignored
            As scikit-learn passes it on; what is no array but a setting is refused.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts in the loss: 2 is the row twice. A row of weight 0 pays
            nothing, but may be a medoid and has a label.
        """
        check.no_setting(y)
        data = data_of(X, self.metric, self.metric_params, self.n_jobs, self.device, self)
        columns = KMedoids(metric=self.metric)  # those of an earlier fit stay until the end
        if data.columns:
            validate_data(columns, X, skip_check_array=True)
        if data.n_rows != data.n:  # new points come with their distances from each row
            columns.n_features_in_ = data.n_rows
        params = self.get_params(deep=False)
        result = run(data, params, sample_weight, *self._begin(data))
        medoids = data.pick(result.medoid_indices)
        found = {
            "medoid_indices_": result.medoid_indices,
            "labels_": data.back(result.labels),
            "inertia_": result.inertia,
            "n_iter_": result.n_iter,
            "n_distances_": result.n_distances,
            "history_": result.history,
            "cluster_centers_": medoids.centres,
            "_made": medoids,
            # As they were, whatever `set_params` says later.
            "_compared_by": {
                "metric": self.metric,
                "metric_params": self.metric_params and dict(self.metric_params),
                "learned": learned_of(medoids),
            },
        }
        seen = {name: value for name, value in vars(columns).items() if name in _OF_COLUMNS}
        kept = {name: value for name, value in vars(self).items() if name not in _OF_COLUMNS}
        # At once: a fit that fails, or is interrupted here, leaves all as it was.
        self.__dict__ = kept | found | seen
        return self

    def transform(self, X: ArrayLike) -> Any:
        """The distance from each medoid to each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With a precomputed metric, of shape (n_samples, n_samples_fit): a row for each
            new point, with the distances from the points of `fit` to it. In the matrix D of
            `fit` the points are the columns: unless it is symmetric, give `D.T`.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        return where(X, self._distances(X).T)

    def predict(self, X: ArrayLike, max_distance: float | None = None) -> Any:
        """The nearest medoid of each row; `X` as for `transform`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        max_distance : float, default=None
            Rows farther than this from every medoid have the label -1.

        Returns
        -------
        ndarray of int32 of shape (n_samples,)
        """
        far = check.farthest(max_distance)
        distances, labels = nearest_of(self._distances(X))
        if far is not None:
            labels[distances > far] = -1
        return where(X, labels)

    def fit_predict(
        self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int32]:
        """Find the medoids of X; the cluster of each row. As `fit`, then `labels_`."""
        return self.fit(X, y, sample_weight).labels_

    def score(
        self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Minus the loss of the medoids on X; `X` as for `transform`."""
        nearest = to_host(nearest_of(self._distances(X))[0])
        weights = check.weights(sample_weight, len(nearest))
        return -float(nearest.sum() if weights is None else nearest @ weights)

    def report(
        self,
        X: ArrayLike,
        path: str | os.PathLike[str],
        *,
        names: Sequence[Any] | None = None,
        title: str | None = None,
        image_shape: tuple[int, ...] | None = None,
        feature_names: Sequence[Any] | None = None,
        texts: Sequence[Any] | None = None,
        coordinates: ArrayLike | None = None,
        values: Any = None,
        labels: Sequence[Any] | None = None,
        annotations: Any = None,
        command: str | None = None,
        max_members: int = 4000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> Path:
        """Write one HTML file to explore the clusters with, complete in itself (extra `report`).

        It shows the medoids as what they are, a map, the members of each cluster from the
        most typical to the least, a search, and how the medoids were found.

        Parameters
        ----------
        X : array-like
            What the estimator was fitted on.
        path : str or path
            Where to write; an existing file is replaced.
        names : sequence, default=None
            The name of each row. None takes the index of a data frame, or row numbers.
        title : str, default=None
            The heading of the page.
        image_shape : tuple of int, default=None
            Height and width (and 3, for colours) of rows that are images.
        feature_names : sequence, default=None
            The name of each column. None takes those of the fit.
        texts : sequence, default=None
            A text for each row, shown with it and searched.
        coordinates : array-like of shape (n_samples, 2), default=None
            Where the map puts each row, such as a UMAP of your own (`adata.obsm["X_umap"]`).
            The names of a data frame's columns are those of the axes.
        values : array-like, default=None
            What is shown of each row in X's place: the columns before they were scaled, or
            what distances or embeddings were made of.
        labels : sequence, default=None
            Labels that were known before, one for each row: the page counts them in each
            cluster, has the adjusted Rand index, and the map can be coloured by them. A Series
            brings its name. Rows without a label are not counted.
        annotations : data frame or dict, default=None
            More columns that the map can be coloured by, such as `adata.obs`; those of X can
            be chosen in any case.
        command : str, default=None
            What gives the same result again. None is Python code.
        max_members : int, default=4000
            Of more rows, so many are drawn, beside the medoids: of each cluster by its size,
            evenly from the most typical row to the least. Fewer where the page would not stay
            below 15 MB.
        random_state : int, RandomState instance or None, default=0
            For the map.

        Returns
        -------
        Path
        """
        from .report import write

        check.whole(max_members, "max_members", 1)
        return write(
            self, X, path, names=names, title=title, image_shape=image_shape,
            feature_names=feature_names, texts=texts, coordinates=coordinates, values=values,
            labels=labels, annotations=annotations,
            command=command, max_members=max_members, random_state=random_state,
        )  # fmt: skip

    def _begin(self, data: Data) -> tuple[list[int] | None, int]:
        """The rows that `init` means, if it is centres; and how many distances that took."""
        if isinstance(self.init, KMedoids):
            check_is_fitted(self.init)
            if self.metric == "precomputed":
                return [int(row) for row in self.init.medoid_indices_], 0
            centres: Data | None = self.init._medoids
        else:
            centres = centres_of(self.init, self.metric, self.metric_params, self.n_jobs)
        if centres is None:
            return None, 0
        return rows_near(centres, data, self.n_clusters, self.n_jobs)

    def _distances(self, X: Any) -> Any:
        check_is_fitted(self)
        data = self._medoids.like(X, self)
        if self._medoids.columns:
            validate_data(self, X, reset=False, skip_check_array=True)
        fitted = self.labels_.shape[0] if hasattr(self, "labels_") else None
        return distances_between(self._medoids, data, self.n_jobs, fitted)

    @property
    def _medoids(self) -> Data:
        """The medoids, ready to be compared with new rows; a pickle does not hold them."""
        if self._made is None:
            things, rows, n_jobs = self.cluster_centers_, self.medoid_indices_, self.n_jobs
            self._made = medoids_again(things, rows, **self._compared_by, n_jobs=n_jobs)
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        """All but what is a class of this package: a pickle is to outlast its layout."""
        state = dict(super().__getstate__())
        state.pop("_made", None)
        if "_compared_by" in state:
            things, metric = self.cluster_centers_, self._compared_by["metric"]
            state["cluster_centers_"] = flat(things, metric)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_compared_by" in state:
            things, metric = state["cluster_centers_"], self._compared_by["metric"]
            self.cluster_centers_ = deep(things, metric)

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric != "precomputed"
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
