"""The estimator as functions: its parameters, and a result in place of attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import cleandoc, signature
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks as check
from ._estimator import KMedoids
from ._fit import KMedoidsResult
from ._outliers import times_usual, usual_distances
from ._silhouette import fit_distances, medoid_silhouette
from .choice.scan import scan_data
from .choice.table import Scan
from .data.elsewhere import data_of

F = TypeVar("F", bound=Callable[..., Any])


def _takes(*names: str) -> Callable[[F], F]:
    """Let a function's `**parameters` be these of `KMedoids`, in its signature and in its help.

    `KMedoids.__init__` is the one list of them. No name is all but `n_clusters`.
    """

    def told(function: F) -> F:
        _, *known = signature(KMedoids).parameters.values()
        shown = [each for each in known if not names or each.name in names]
        plain = signature(function)
        *own, _ = plain.parameters.values()
        whole = plain.replace(parameters=[*own, *shown])

        @wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            for name in given:
                if name not in whole.parameters:
                    raise TypeError(
                        f"{function.__name__}() got an unexpected keyword argument {name!r}"
                    )
            return function(*args, **given)

        called.__signature__ = whole  # type: ignore[attr-defined]
        if function.__doc__ and KMedoids.__doc__:  # which `python -OO` takes away
            said = _said(cleandoc(KMedoids.__doc__))
            words = "".join(said[each.name] for each in shown)
            place = re.compile(r"^\*\*parameters\n(?: +.*\n)+", re.MULTILINE)
            called.__doc__ = place.sub(lambda _: words, cleandoc(function.__doc__))
        return cast(F, called)

    return told


def _said(text: str) -> dict[str, str]:
    """What a docstring says of each parameter."""
    section = text[text.index("\nParameters\n") : text.index("\nAttributes\n")]
    entries = re.finditer(r"^(\w+) : .*\n(?: +.*\n)+", section, re.MULTILINE)
    return {entry[1]: entry[0] for entry in entries}


@_takes()
def k_medoids(
    X: ArrayLike,
    n_clusters: int,
    *,
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> KMedoidsResult:
    """Find k medoids: the rows that stand for all others at the lowest loss.

    Parameters
    ----------
    X : array-like
        As for `KMedoids.fit`.
    n_clusters : int
        How many medoids to find.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts in the loss.
    **parameters
        Those of :class:`KMedoids`.

    Returns
    -------
    KMedoidsResult

    Examples
    --------
    >>> from medoids import k_medoids
    >>> result = k_medoids([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], 2)
    >>> result.medoid_indices.tolist(), result.inertia
    ([1, 4], 4.0)
    """
    km = KMedoids(n_clusters, **parameters).fit(X, sample_weight=sample_weight)
    return KMedoidsResult(
        km.medoid_indices_, km.labels_, km.inertia_, km.n_iter_, km.n_distances_, km.history_
    )


@_takes("metric", "metric_params", "n_jobs", "random_state")
def medoid(X: ArrayLike, *, sample_weight: ArrayLike | None = None, **parameters: Any) -> int:
    """The row with the lowest sum of distances to all rows, each times its weight.

    Parameters
    ----------
    X : array-like
        As for `KMedoids.fit`.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts.
    **parameters
        Those of :class:`KMedoids` that matter for one medoid.

    Returns
    -------
    int

    Examples
    --------
    >>> from medoids import medoid
    >>> medoid([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]])
    1
    """
    found = k_medoids(X, 1, max_iter=0, sample_weight=sample_weight, **parameters)
    return int(found.medoid_indices[0])


@_takes()
def scan(
    X: ArrayLike,
    n_clusters: Iterable[int] = range(2, 21),
    *,
    sample_weight: ArrayLike | None = None,
    resample: bool = True,
    **parameters: Any,
) -> Scan:
    """Fit several numbers of clusters in one run, and suggest one.

    BUILD is done once, each k goes on from its first medoids, and distances are shared. Four
    criteria stand side by side: the mean medoid silhouette; the elbow of the loss; stability, how
    far the medoids of one half of the rows give the clusters of the other; and the gap statistic,
    the distance of the loss from that of rows without clusters. A number is suggested where two
    of them agree, and none of those that compare with other samples says that there are no
    clusters at all. Sometimes there is no clear answer, and the result says so; see
    docs/choice.md.

    Parameters
    ----------
    X : array-like
        As for `KMedoids.fit`.
    n_clusters : iterable of int, default=range(2, 21)
        The numbers of clusters to try.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts.
    resample : bool, default=True
        Whether to judge by stability and the gap, which fit up to 1,000 of the rows again and
        again. They are left out for fixed rows, candidates, and too few rows; the gap also for
        what is no space of rows (objects, angles, precomputed distances).
    **parameters
        Those of :class:`KMedoids`; `n_init` is not used.

    Returns
    -------
    Scan

    Examples
    --------
    >>> import numpy as np
    >>> from medoids import scan
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in (0, 10, 20)])
    >>> found = scan(X, range(2, 7), random_state=0)
    >>> found.suggestion, found[3].sizes.tolist()
    (3, [60, 60, 60])
    """
    km = KMedoids(**parameters)
    data = data_of(X, km.metric, km.metric_params, km.n_jobs, km.device, km)
    return scan_data(data, n_clusters, km.get_params(deep=False), sample_weight, resample)


def silhouette(
    km: KMedoids, X: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The medoid silhouette of each row: 1 - d1 / d2, from the nearest medoid and the second.

    It is 1 on a medoid and 0 halfway between two; it costs n k distances and serves any metric
    (Lenssen and Schubert 2022).

    Parameters
    ----------
    km : KMedoids
        Fitted, with two clusters or more.
    X : array-like
        What it was fitted on, or new rows; with a precomputed metric, the matrix of the fit.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts: of the rows themselves it changes nothing, but those that count
        nothing are NaN, so that `numpy.nanmean` leaves them out.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from medoids import KMedoids, silhouette
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> silhouette(KMedoids(2).fit(X), X).round(2).tolist()
    [0.91, 1.0, 0.89, 0.89, 1.0, 0.91]
    """
    distances = fit_distances(km, X)
    if distances.shape[1] < 2:
        raise ValueError("km has one cluster, and a silhouette compares two: fit at least two.")
    values = medoid_silhouette(distances)
    weights = check.weights(sample_weight, len(values))
    return values if weights is None else np.where(weights > 0, values, np.nan)


def outlier_scores(km: KMedoids, X: ArrayLike, new: ArrayLike | None = None) -> NDArray[np.float64]:
    """How far each row is from its medoid, against what is usual in its cluster.

    The score is the distance from the nearest medoid over the median of its cluster, taken over the
    rows that are not on the medoid: 1 is usual, 5 is five times as far as usual. It serves any
    metric, and costs n k distances. An outlier that is a medoid itself, alone in its cluster, has
    a score of 0: look at the smallest clusters, too.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    X : array-like
        What it was fitted on: says what is usual.
    new : array-like, default=None
        Rows to score; None scores those of X. As for `KMedoids.transform`.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from medoids import KMedoids, outlier_scores
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [18.0]]
    >>> km = KMedoids(2).fit(X)
    >>> outlier_scores(km, X).tolist()
    [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 7.0]
    >>> outlier_scores(km, X, [[1.5], [-9.0]]).tolist()
    [0.5, 10.0]
    """
    distances = fit_distances(km, X)
    labels = distances.argmin(axis=1).astype(np.int32)
    nearest = distances.min(axis=1)
    usual = usual_distances(nearest, labels, distances.shape[1])
    if new is not None:
        distances = np.asarray(km.transform(new))
        labels, nearest = distances.argmin(axis=1).astype(np.int32), distances.min(axis=1)
    return times_usual(nearest, labels, usual)


def silhouette_scorer(
    km: KMedoids, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
) -> float:
    """The mean medoid silhouette of rows, as a scorer for scikit-learn's searches.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from medoids import KMedoids, silhouette_scorer
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in (0, 10, 20)])
    >>> X = rng.permutation(X)
    >>> search = GridSearchCV(KMedoids(), {"n_clusters": [2, 3, 4]}, scoring=silhouette_scorer)
    >>> search.fit(X).best_params_
    {'n_clusters': 3}
    """
    values = medoid_silhouette(np.asarray(km.transform(X)))
    return float(np.average(values, weights=check.weights(sample_weight, len(values))))
