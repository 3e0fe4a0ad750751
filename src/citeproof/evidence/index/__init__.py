"""The snapshot: an immutable, memory-mapped, content-addressed set of records that answers offline.

`build` makes one from files (one reader per dump format), `Snapshot.open` reads it.
"""
