"""The steps of a verification, each on its own; `citeproof.audit.verify.log_check` is their order."""
