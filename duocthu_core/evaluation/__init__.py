"""Evaluation: sets of cases, runs over them, metrics with intervals, comparison, gate, and the judge against people (spec 06, page 6)."""
