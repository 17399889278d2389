"""Reads everything, changes nothing but its own snapshots and exports."""
