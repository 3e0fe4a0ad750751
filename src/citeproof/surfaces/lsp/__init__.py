"""The interface for editors: a language server over the same checks and fixes as the command line."""
