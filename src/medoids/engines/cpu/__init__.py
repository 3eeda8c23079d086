"""The engine of the CPU: NumPy, BLAS, Numba, and threads.

Start with `engine.py`. `points` computes distances, `cache` keeps them, `rewards` estimates what
arms are worth, `kernels` has the compiled loops; `state.py` and `step.py` hold what all points pay
and what an arm changes. Nothing but `engine.py` and `points` is for those outside.
"""
