"""What pages ask, and how what comes back is read."""
