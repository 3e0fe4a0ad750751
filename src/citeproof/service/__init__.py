"""What every door calls: documents, citations and corpora in, results out. No flags, nothing printed."""
