"""Jobs of files: how they move, who works on them, and when they are forgotten."""
