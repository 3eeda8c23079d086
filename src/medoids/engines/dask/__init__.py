"""The engine of a cluster: partitions on many workers, of which none is ever gathered.

A round is an order to all shards: `engine` and `arms` are where the fit is, and see ids and short
vectors; a `shard` is what one worker holds, and computes with the CPU's points, steps and kernels.
`transport` is what is between. Start with `orders`, then `engine`, then `shard`.

It imports `medoids.engines.cpu`, `medoids.data`, `medoids.dissimilarities` and the floor;
`distributed` in `cluster` alone.
"""
