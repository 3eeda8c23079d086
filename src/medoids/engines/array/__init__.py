"""An engine over the array API standard: on a GPU through torch or CuPy, on NumPy for tests.

Rows stay where they are (`rows`: their distances, a block at a time), and so do all arrays of
their length (`state`, `arms`). An arm is measured on one random sample of references (`sample`),
and its rewards there are regressed on those of leaders, whose means are known (`estimates`): a few
products of matrices, for all arms alike. `namespace` is what the standard has no word for.

Start with `engine`.
"""
