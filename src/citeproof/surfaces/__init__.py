"""The interfaces, thin: command line, REST, MCP, web page, language server, Python."""
