"""Algorithm 1 as we changed it: the search for a step's best arm, or for all good ones.

It asks an engine through `medoids.engines.protocol`, and knows no data, no array of its length, no
thread and no device; it imports nothing else but the tuning table. Start with `search.py`.
"""
