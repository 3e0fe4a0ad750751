"""What counts as a year of publication, as pieces of regular expressions: one idea, one name.

The earlier the first century, the more page numbers, counts and volumes look like years. So the sure places
(a year in brackets behind names) admit early prints, and the doubtful ones only what is likely.
"""

from __future__ import annotations

EARLY_YEAR = r"(?:1[4-9]|20)\d\d"  # since the first printed books: every number that may be a year is weighed
YEAR = r"(?:1[5-9]|20)\d\d"  # where punctuation or words around it say that it is a year
LIKELY_YEAR = r"(?:1[6-9]|20)\d\d"  # among volumes and pages, which go up to some 1500
MODERN_YEAR = r"(?:1[89]|20)\d\d"  # in running text, and where a wrong year would begin a reference
