"""Answers that LLMs gave elsewhere, as files of other programs hold them: no database, no guess."""

# The prompt edition of judges whose answers were recorded elsewhere: what was sent is not known.
RECORDED = "recorded"
