"""What pages, commands and workers need of runs and calls."""
