"""The methods: each a function of its settings that leaves an engine at its medoids.

Here are the table of methods, and a file for each; `loops.py` has the two loops of PAM (start
there), `starts.py` the ways to begin, `monitor.py` the history and the progress bar. They ask an
engine through `medoids.engines.protocol`, and search with `medoids.search`; no array of the data's
length is seen here. A method's keywords are the keys that `method_params` may have for it.
"""

from __future__ import annotations

from collections.abc import Callable

from ..engines.protocol import Medoids
from .alternate import alternate
from .banditpam import banditpam
from .banditpam_original import banditpam_original
from .clara import clara
from .clarans import clarans
from .fasterpam import fasterpam, fastpam
from .onebatch import onebatch
from .pam import fastpam1, pam

METHODS: dict[str, Callable[..., tuple[Medoids, int]]] = {
    "banditpam": banditpam,
    "banditpam_original": banditpam_original,
    "pam": pam,
    "fastpam1": fastpam1,
    "fastpam": fastpam,
    "fasterpam": fasterpam,
    "alternate": alternate,
    "clara": clara,
    "clarans": clarans,
    "onebatch": onebatch,
}
