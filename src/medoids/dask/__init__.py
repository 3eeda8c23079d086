"""k-medoids on a Dask cluster: PAM's medoids of rows that no one machine holds (extra `dask`).

>>> import dask.array as da
>>> from distributed import Client
>>> from medoids.dask import KMedoids
>>> client = Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None)
>>> X = da.from_array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], chunks=(4, 1))
>>> km = KMedoids(n_clusters=2).fit(X)
>>> km.medoid_indices_.tolist(), km.labels_.compute().tolist()
([1, 4], [0, 0, 0, 1, 1, 1])
>>> client.close()
"""

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
