"""AnnData in, AnnData out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from helpers import one_line
from medoids import k_medoids
from medoids.scanpy import kmedoids

anndata = pytest.importorskip("anndata")


@pytest.fixture
def adata() -> anndata.AnnData:
    rng = np.random.default_rng(0)
    groups = rng.gamma(0.5, 3.0, size=(3, 30))
    counts = rng.poisson(groups[rng.integers(3, size=120)]).astype(np.float32)
    made = anndata.AnnData(
        sparse.csr_matrix(np.log1p(counts)),
        obs=pd.DataFrame(index=[f"cell{i}" for i in range(120)]),
    )
    made.layers["counts"] = sparse.csr_matrix(counts)
    made.obsm["X_pca"] = rng.normal(size=(120, 5))
    return made


def test_clusters_and_medoid_cells(adata: anndata.AnnData) -> None:
    assert kmedoids(adata, 3) is None
    expected = k_medoids(adata.X, 3, metric="l1", random_state=0)
    labels = adata.obs["kmedoids"]
    assert labels.dtype == "category"
    assert list(labels.cat.categories) == ["0", "1", "2"]
    np.testing.assert_array_equal(labels.astype(int), expected.labels)
    found = adata.uns["kmedoids"]
    assert list(found["medoids"]) == [f"cell{i}" for i in expected.medoid_indices]
    assert found["inertia"] == expected.inertia
    assert found["params"]["metric"] == "l1"


@pytest.mark.parametrize(
    ("given", "key"), [({"layer": "counts"}, "layers"), ({"use_rep": "X_pca"}, "obsm")]
)
def test_other_numbers(adata: anndata.AnnData, given: dict[str, str], key: str) -> None:
    kmedoids(adata, 4, metric="l2", key_added="mine", method="fasterpam", **given)
    X = getattr(adata, key)[next(iter(given.values()))]
    expected = k_medoids(X, 4, metric="l2", method="fasterpam", random_state=0)
    np.testing.assert_array_equal(adata.obs["mine"].astype(int), expected.labels)
    assert adata.uns["mine"]["params"]["method"] == "fasterpam"


def test_a_copy(adata: anndata.AnnData) -> None:
    copy = kmedoids(adata, 2, copy=True)
    assert "kmedoids" in copy.obs
    assert "kmedoids" not in adata.obs


def test_the_result_can_be_written(adata: anndata.AnnData, tmp_path) -> None:  # type: ignore[no-untyped-def]
    kmedoids(adata, 2)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert list(again.uns["kmedoids"]["medoids"]) == list(adata.uns["kmedoids"]["medoids"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"use_rep": "no"}, r"use_rep='no' is not in \.obsm"),
        ({"layer": "no"}, r"layer='no' is not in \.layers"),
        ({"use_rep": "X_pca", "layer": "counts"}, "use_rep and layer are both given"),
    ],
)
def test_what_is_not_there(adata: anndata.AnnData, given: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        kmedoids(adata, 2, **given)
    one_line(caught.value)
    assert "kmedoids" not in adata.obs


def test_weights_are_a_column_of_obs() -> None:
    anndata = pytest.importorskip("anndata")
    X = np.random.default_rng(0).poisson(2.0, (60, 8)).astype(np.float32)
    adata = anndata.AnnData(X)
    adata.obs["cells"] = np.arange(60) % 5
    kmedoids(adata, 3, sample_weight="cells")
    given = k_medoids(X, 3, metric="l1", sample_weight=np.arange(60) % 5, random_state=0)
    assert adata.uns["kmedoids"]["inertia"] == given.inertia
    assert adata.uns["kmedoids"]["params"]["sample_weight"] == "cells"
    with pytest.raises(ValueError, match=r"sample_weight='other' is not in \.obs"):
        kmedoids(adata, 3, sample_weight="other")
