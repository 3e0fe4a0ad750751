"""Where the texts of cited works are had, as the settings ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeproof.settings import Settings

if TYPE_CHECKING:
    from citeproof.claims.grounding import AssessClaim


def make_assessor(settings: Settings) -> AssessClaim | None:
    """Return what looks at the texts of attached works; None if the settings name no place to look."""
    if not settings.texts:
        return None
    from citeproof.claims import claim_evidence  # noqa: PLC0415 - only claims with texts need it
    from citeproof.claims.text_library import TextLibrary  # noqa: PLC0415 - same

    library = TextLibrary(settings.texts, settings.cache_dir)
    finders = [claim_evidence.make_library_finder(library)]
    find_text = claim_evidence.combine_text_finders(finders)
    return claim_evidence.make_claim_assessor(find_text, library.add_images)
