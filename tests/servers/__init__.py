"""Local servers for tests: models that answer and fail like real ones, and databases."""
