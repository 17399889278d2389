"""LLMs that rate: judges, runs, calls, prompts and the reading of answers."""
