"""The functions, results and `KMedoids` of kmedoids 0.5, computed by `medoids`.

On matrices whose row is the point and whose column the medoid, as there. `_swaps` has the
k-medoids algorithms, by our methods; `_seek` those that seek the highest silhouette, on the
engines of `_silhouettes` under our loops.
"""

from ._estimator import KMedoids
from ._results import DynkResult, KMedoidsResult
from ._seek import (
    dynmsc,
    fastermsc,
    fastmsc,
    medoid_silhouette,
    pammedsil,
    pamsil,
    silhouette,
)
from ._swaps import alternating, fasterpam, fastpam1, pam, pam_build

__all__ = [
    "DynkResult",
    "KMedoids",
    "KMedoidsResult",
    "alternating",
    "dynmsc",
    "fastermsc",
    "fasterpam",
    "fastmsc",
    "fastpam1",
    "medoid_silhouette",
    "pam",
    "pam_build",
    "pammedsil",
    "pamsil",
    "silhouette",
]
for _name in ("DynkResult", "KMedoids", "KMedoidsResult"):
    globals()[_name].__module__ = __name__  # where they are imported from, also by a pickle
