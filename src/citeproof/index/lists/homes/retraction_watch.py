"""Retraction Watch: retractions, expressions of concern, corrections and reinstatements."""

from __future__ import annotations

from citeproof.index.lists.list_home import ListForm, ListHome
from citeproof.index.lists.retraction_csv import read_retraction_csv

LIST = ListHome(
    name="retraction_watch",
    title="Retraction Watch",
    url="https://gitlab.com/crossref/retraction-watch-data/-/raw/main/retraction_watch.csv",
    licence="CC BY 4.0; cite The Retraction Watch Database (Crossref)",
    form=ListForm.NOTICES,
    read=read_retraction_csv,
    recognises=lambda _name, start: "retractionnature" in start.lower().replace(" ", ""),
    about="retractions, concerns, corrections, reinstatements",
    days=7,  # the setting retraction_list_days
    optional=False,
)
