"""The audit log: who wrote what, and when (spec 06, "Access"). Lines are added and never changed."""
