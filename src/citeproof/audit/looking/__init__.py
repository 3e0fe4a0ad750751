"""The steps of a verification, each on its own; `citeproof.audit.verifying` is their order."""
