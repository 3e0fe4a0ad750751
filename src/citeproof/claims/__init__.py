"""Claims: no unverified reference reaches a reader. Hypotheses in, decided claims and their traces out.

`hypothesis_json`, `cited_sentences`: what is claimed, and which references come with it.
`mention_finder`, `mention_search`: author–year mentions in running text, and the works they may mean.
`grounding`: the algorithm; each decision is an event of the audit log and a line of the trace.
`trace`: the decisions in words.
"""
