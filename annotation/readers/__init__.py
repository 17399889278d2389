"""Files of items and ratings, read row by row: rows and problems, no database."""
