"""What is collected: doctests of modules whose extra is installed."""

from importlib.util import find_spec

_DASK = ["src/medoids/dask/*", "src/medoids/engines/dask/cluster.py"]
collect_ignore_glob = [] if find_spec("distributed") else _DASK
