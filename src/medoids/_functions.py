"""The estimator as functions: its parameters, and a result in place of attributes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from inspect import cleandoc, signature
from typing import Any, TypeVar, cast

from numpy.typing import ArrayLike

from ._estimator import KMedoids
from ._fit import KMedoidsResult

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
def k_medoids(X: ArrayLike, n_clusters: int, **parameters: Any) -> KMedoidsResult:
    """Find k medoids: the rows that stand for all others at the lowest loss.

    Parameters
    ----------
    X : array-like
        As for `KMedoids.fit`.
    n_clusters : int
        How many medoids to find.
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
    km = KMedoids(n_clusters, **parameters).fit(X)
    return KMedoidsResult(
        km.medoid_indices_, km.labels_, km.inertia_, km.n_iter_, km.n_distances_, km.history_
    )


@_takes("metric", "metric_params", "n_jobs", "random_state")
def medoid(X: ArrayLike, **parameters: Any) -> int:
    """The row with the lowest sum of distances to all rows.

    Parameters
    ----------
    X : array-like
        As for `KMedoids.fit`.
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
    return int(k_medoids(X, 1, max_iter=0, **parameters).medoid_indices[0])
