"""k-medoids clustering: PAM's answer, for any data and any dissimilarity."""

from ._estimator import KMedoids
from ._fit import KMedoidsResult
from ._functions import k_medoids, medoid

__all__ = ["KMedoids", "KMedoidsResult", "__version__", "k_medoids", "medoid"]
__version__ = "0.1.0"
