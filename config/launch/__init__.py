"""The launcher: starts, watches and ends Concord and its services, and loads nothing of them."""
