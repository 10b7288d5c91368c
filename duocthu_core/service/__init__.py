"""The HTTP contract, kept for other backends (spec 05, "HTTP")."""
