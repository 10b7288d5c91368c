"""Statistics with scipy, statsmodels and krippendorff: an undefined value is None, never 0 or 1.

scipy and statsmodels are loaded by the function that needs them: that takes a second, and most processes never ask for a statistic.
"""
