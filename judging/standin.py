"""The demo's own scripted endpoint: a stand-in that is not an LLM."""

NAME = "stand-in (not an LLM)"
