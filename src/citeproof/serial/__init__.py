"""The one serialiser: every door prints what these functions return.

    reference_json, record_json, checked_json, report_json   the contract's keys, in its order
    verify_json                                              the `verifyCitation` projection
    bibtex_entry, csl_item, ris_record                       one work for other programs
    dumps                                                    any of them to the same bytes each time
    dump_printable, pretty                                   the same for people: hidden characters escaped

The shape is versioned by `SCHEMA` and written down in docs/spec/report.schema.json. Keys may be
added at the end of an object under the same version; none is renamed, moved or taken away.
"""

from citeproof.serial.bibtex import bibtex_entry
from citeproof.serial.cited import (
    claimed_json,
    name_json,
    origins_json,
    place_json,
    problem_json,
    reference_json,
)
from citeproof.serial.csl import csl_item
from citeproof.serial.flat import Cell, flat_row
from citeproof.serial.judged import checked_json, provenance_json
from citeproof.serial.known import lookup_json, record_json
from citeproof.serial.plain import Json, dump_printable, dumps, escape_hidden, pretty
from citeproof.serial.projection import verify_json
from citeproof.serial.report import SCHEMA, report_json, run_json, summary_json, version
from citeproof.serial.ris import ris_record
from citeproof.serial.taken import Taken

__all__ = [
    "SCHEMA",
    "Cell",
    "Json",
    "Taken",
    "bibtex_entry",
    "checked_json",
    "claimed_json",
    "csl_item",
    "dump_printable",
    "dumps",
    "escape_hidden",
    "flat_row",
    "lookup_json",
    "name_json",
    "origins_json",
    "place_json",
    "pretty",
    "problem_json",
    "provenance_json",
    "record_json",
    "reference_json",
    "report_json",
    "ris_record",
    "run_json",
    "summary_json",
    "verify_json",
    "version",
]
