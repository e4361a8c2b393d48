"""From the traces of real agents, as they come, to a dataset.

`sources` finds the files, `lines` reads ranges of them, `landing` makes typed rows of the lines,
`clean` takes each row once, `ingest` puts it all together. `watch` lands its rows by the same code.
"""
