"""How the clocks of nodes differ, from the probes between them, and times set right by that.

`pairs` says what the probes of each pair of nodes tell, `solve` makes one clock for each node of
it, `estimate` puts both together as a table with a row for each node, `correct` applies that.
"""
