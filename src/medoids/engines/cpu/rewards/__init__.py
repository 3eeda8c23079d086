"""The rewards of one step: estimates of them, and bounds.

`sample.py` has the references and what each stands for, `rewards.py` the screen of all arms (start
there), `regression.py` the estimates from more references, `fitted.py` the regression of one
cluster, `guard.py` what intervals miss, `bounds.py` what is carried from step to step. Imports the
step, the cache and the kernels of this engine, the protocol and the floor; the search sees none of
it.
"""
