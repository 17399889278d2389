"""Keeping a server alive: backups, and what it tells of itself."""
