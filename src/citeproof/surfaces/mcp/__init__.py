"""The MCP server: tools for language models that call what the command line calls, on stdio or over HTTP."""
