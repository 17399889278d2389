"""Copies of releases that people have, and what they state when these have to be destroyed."""
