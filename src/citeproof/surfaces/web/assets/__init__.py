"""The style and the script of the web page."""
