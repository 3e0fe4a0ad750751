"""The MCP server: tools for language models over the same engine, on standard input and output or over HTTP.

    tool_list       names, schemas and texts of the tools; the texts are in tool_texts.toml
    tool_server     the server of the official library: lists, calls, errors
    citation_tools, bibliography_tools, work_tools, claim_tools, verdict_tools   what each tool does
    resource_list, prompt_list   what a client may show or insert
    http_mount      the same server at /mcp of a web application

Tools decide nothing: they call what the command line calls, and give the same answers.
"""
