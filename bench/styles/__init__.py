"""Labelled citation strings of every common style, made from real records.

    python -m bench.styles --out train.jsonl --count 60000 --seed 1

`making` puts a work together from a real record and banks of real field values; `csl` renders it through a
CSL style, `forms` by hand-written patterns for what a renderer cannot; `noise` damages it as documents do;
`marks` turns the result into tokens and labels. `strings` gives plain strings in twelve named styles.
"""
