"""What pages need, already filtered by access: rows or small dataclasses."""
