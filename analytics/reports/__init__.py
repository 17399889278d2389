"""Arrays to what pages and files say: one module a part, each computed and kept by itself."""
