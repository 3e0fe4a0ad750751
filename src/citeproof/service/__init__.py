"""What every interface calls: documents, citations and corpora in, results out. No flags, nothing printed."""
