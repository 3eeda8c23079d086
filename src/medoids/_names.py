"""All that a metric or a method may be called: the tables, for those who list and choose."""

from .dissimilarities.metrics import METRICS, SPARSE, SYNONYMS
from .dissimilarities.objects import MEASURES
from .methods.table import METHODS

__all__ = ["MEASURES", "METHODS", "METRICS", "METRIC_NAMES", "SPARSE", "SYNONYMS"]

METRIC_NAMES = (*METRICS, *SYNONYMS, *MEASURES, "precomputed")
