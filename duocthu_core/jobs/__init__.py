"""Batch work (evaluation runs, judging again, imports) as jobs: submitted once, done in parts by any worker, lost by none."""
