"""The one serialiser: every interface prints what these functions return.

    build_reference_json, build_record_json,
    build_checked_json, build_report_json                  the contract's keys, in its order
    build_verify_json                                      the `verifyCitation` projection
    build_bibtex_entry, build_csl_item, build_ris_record   one work for other programs
    dumps                                                  any of them to the same bytes each time
    dump_printable, dump_pretty                            for people: hidden characters escaped

The shape is versioned by `SCHEMA` and written down in docs/spec/report.schema.json. Keys may be
added at the end of an object under the same version; none is renamed, moved or taken away.
"""

from citeproof.answers.serializers.bibliography import build_bibtex_entry, build_csl_item, build_ris_record
from citeproof.answers.serializers.judgements import build_checked_json, build_provenance_json
from citeproof.answers.serializers.references import (
    build_claimed_json,
    build_lookup_json,
    build_name_json,
    build_origins_json,
    build_place_json,
    build_problem_json,
    build_record_json,
    build_reference_json,
)
from citeproof.answers.serializers.report import (
    SCHEMA,
    Cell,
    UniqueKeys,
    build_flat_row,
    build_report_json,
    build_run_json,
    build_summary_json,
    get_version,
)
from citeproof.answers.serializers.verify_answer import build_verify_json, list_caveats
from citeproof.plumbing.json_bytes import Json, dump_pretty, dump_printable, dumps, escape_hidden

__all__ = [
    "SCHEMA", "Cell", "Json", "UniqueKeys", "build_bibtex_entry", "build_checked_json",
    "build_claimed_json", "build_csl_item", "build_flat_row", "build_lookup_json", "build_name_json",
    "build_origins_json", "build_place_json", "build_problem_json", "build_provenance_json",
    "build_record_json", "build_reference_json", "build_report_json", "build_ris_record", "build_run_json",
    "build_summary_json", "build_verify_json", "dump_pretty", "dump_printable", "dumps", "escape_hidden",
    "get_version", "list_caveats",
]  # fmt: skip
