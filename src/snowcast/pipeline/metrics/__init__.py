"""The metrics: one concept a file, DataFrames of a trace in, a table of `metric_tables` out.

Rules of this folder:
- A function that makes a table ends in `held`, which selects its columns and casts their types.
- Joins say how and on what; nothing is dropped to hide a bad one. Column expressions only.
- The table of arrivals is large, everything else is small: the small side is broadcast, and what
  a group needs is an aggregate that combines before the shuffle.
"""
