"""Statistics with scipy, statsmodels and krippendorff: an undefined value is None, never 0 or 1."""
