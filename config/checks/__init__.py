"""`make test`: every check in turn, and how much of the house some test ran through."""
