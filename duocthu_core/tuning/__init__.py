"""Changing rules: what a change breaks and costs, and trying it on stored turns before it is saved (spec 06, page 4)."""
