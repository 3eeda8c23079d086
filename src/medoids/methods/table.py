"""The table of methods: a row each. A method's keywords are the keys of its `method_params`."""

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
