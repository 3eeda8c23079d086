"""k-medoids clustering: PAM's answer, for any data and any dissimilarity."""

from typing import TYPE_CHECKING

from ._lazy import lazily

if TYPE_CHECKING:
    from ._estimator import KMedoids
    from ._fit import KMedoidsResult
    from ._functions import (
        k_medoids,
        medoid,
        outlier_scores,
        scan,
        silhouette,
        silhouette_scorer,
    )
    from .choice.table import Scan
else:
    # scikit-learn takes long to import: the command line's help need not wait for it.
    __getattr__ = lazily(
        __name__,
        {
            "_estimator": ["KMedoids"],
            "_fit": ["KMedoidsResult"],
            "_functions": [
                "k_medoids",
                "medoid",
                "outlier_scores",
                "scan",
                "silhouette",
                "silhouette_scorer",
            ],
            "choice.table": ["Scan"],
            "compat": [],
        },
    )

__all__ = [
    "KMedoids",
    "KMedoidsResult",
    "Scan",
    "__version__",
    "k_medoids",
    "medoid",
    "outlier_scores",
    "scan",
    "silhouette",
    "silhouette_scorer",
]
__version__ = "0.2.0"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
