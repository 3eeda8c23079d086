"""How different two things are: rows of numbers, trees, strings, sequences, mixed rows, anything.

Rows of numbers have a `Metric`, a row in the table of `metrics`, whose leaf functions an engine
builds its loops from. Everything else has a `Measure` (`base`), which fills blocks itself; those
with a name are in the table of `objects`, and a function of the user's is `compiled` or `called`.

It imports the floor (`_types`, `_checks`, `_threads`, `_lazy`) and `_mixed_columns`, and no data or
engine. Start with `metrics`.
"""
