"""The only code that speaks to an LLM."""
