"""The names of other packages, computed by this one: change an import, and keep the rest.

One module a package, with its public names, parameters, attributes and results:
`sklearn_extra`, `kmedoids`, `banditpam`. Each is an adapter over `medoids.KMedoids`; what only the
other package has (the medoid silhouette as an objective) is beside it. They import whatever they
like of `medoids`, and nothing imports them. docs/coming-from says what differs.
"""

from .._lazy import lazily

__all__ = ["banditpam", "kmedoids", "sklearn_extra"]
__getattr__ = lazily(__name__, {name: [] for name in __all__})


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
