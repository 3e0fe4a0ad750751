"""The steps of a verification, each on its own; `citeproof.proof.audit.verify.log_check` is their order."""
