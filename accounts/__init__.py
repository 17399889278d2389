"""Who someone is and what they may do."""
