"""PAM, and FastPAM1: the best of all swaps, exactly. All else is held against them."""

from __future__ import annotations

from ..engines.protocol import AllArms, Matrix, Medoids
from ..search.rounds import Choice, Round
from ..search.search import null_value, settle
from .loops import Best, build_and_swap
from .settings import Settings


def pam(settings: Settings) -> tuple[Medoids, int]:
    """Kaufman and Rousseeuw 1990: build greedily, then take the best of all k(n - k) swaps.

    Every distance is held in float64.
    """
    settings.needs("pam", settings.engine.bytes_held(exact=True), "banditpam")
    return _all_the_way(settings, settings.engine.matrix(exact=True))


def fastpam1(settings: Settings) -> tuple[Medoids, int]:
    """Schubert and Rousseeuw 2019: PAM's swaps, all k of a candidate from one pass.

    The matrix is in float32; what float32 cannot tell apart is decided in float64.
    """
    settings.needs("fastpam1", settings.engine.bytes_held(), "banditpam")
    return _all_the_way(settings, settings.engine.matrix(confirmed=True))


def _all_the_way(settings: Settings, matrix: Matrix) -> tuple[Medoids, int]:
    return matrix, build_and_swap(settings, matrix, best_of(matrix))


def best_of(matrix: AllArms) -> Best:
    """The best arm of a step, from all distances."""

    def best(swap: bool) -> Choice:
        rounds = [Round(matrix.n_arms - len(matrix.medoids), matrix.n, 1)]
        close = matrix.close(swap)
        found = settle(close, null_value(swap), lambda arms: matrix.confirm(arms, swap))
        return Choice(rounds, None, *found)

    return best
