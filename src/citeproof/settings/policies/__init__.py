"""The policies that are shipped, one TOML file each, and the reader of your own: pure, from text to rules."""
