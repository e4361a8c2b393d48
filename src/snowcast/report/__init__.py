"""Tables, figures and a page from the tables of metrics. Computes no metric.

Start at `build.py`.
"""
