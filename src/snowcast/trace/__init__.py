"""Traces: what was seen of a run, simulated or real, as rows that any tool can read.

`schema` defines the rows, `recorder` makes them from what a driver sees, `files` keeps them.
"""
