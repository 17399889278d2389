"""Wiring: settings, urls, Celery, WSGI and the launcher. Decides nothing."""
