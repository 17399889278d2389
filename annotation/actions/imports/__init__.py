"""Bring files of items and ratings into a study."""
