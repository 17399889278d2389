"""Wiring, which decides nothing; beside it the launcher, the web server and the checks."""
