"""What the user sees and keeps: the terminal (`screen`, `progress`, `pictures`) and the files.

Start at `results`, which says what result.json holds, and `folder`, which puts it in its place
only when it is whole. It may import `readers`, for what was read, but no command.
"""
