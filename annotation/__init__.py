"""What is rated, by whom, when, and what was decided."""
