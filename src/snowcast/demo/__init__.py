"""The demo: a cluster of real nodes that lives through a story, told while it happens.

Begin at `acts`, which is the story, and `conductor`, which has it played. `results` measures it.
"""
