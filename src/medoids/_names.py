"""All that a metric or a method may be called: the tables, for those who list and choose."""

from ._fit import METHODS
from .dissimilarities.metrics import METRICS, SYNONYMS
from .dissimilarities.objects import MEASURES
from .engines.cpu.points.sparse import SPARSE

__all__ = ["MEASURES", "METHODS", "METRICS", "METRIC_NAMES", "SPARSE", "SYNONYMS"]

METRIC_NAMES = (*METRICS, *SYNONYMS, *MEASURES, "precomputed")
