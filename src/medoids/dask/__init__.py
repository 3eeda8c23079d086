"""k-medoids on a Dask cluster: PAM's medoids of rows that no one machine holds (extra `dask`)."""

try:
    import dask
    import distributed
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "medoids.dask needs dask and distributed: pip install 'medoids[dask]'."
    ) from error

from ._estimator import KMedoids

__all__ = ["KMedoids"]

del dask, distributed
