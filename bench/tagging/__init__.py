"""Training of the citation tagger: corpus, augmentation, fitting."""
