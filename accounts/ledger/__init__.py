"""The ledger: what was done and what was written, in a chain of hashes that nobody can mend."""
