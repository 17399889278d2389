"""Django's PostgreSQL backend, with statements that the server plans once a connection."""
