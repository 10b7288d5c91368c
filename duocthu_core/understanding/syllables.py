"""Telling Vietnamese syllables from foreign words.

A drug name is almost never one Vietnamese syllable: what is none, and no listed technical word, may be a name that the reader
mistyped or that this corpus lacks. The shape is decided without tone marks, so that text typed without them is judged alike.
"""

from __future__ import annotations

import re
from functools import lru_cache

from duocthu_core.text.folding import fold, strip_marks

# Onset, vowels and final consonant of the written syllable (any Vietnamese grammar); z, w, f, j are chat spellings of onsets.
_ONSETS = "ngh|ng|nh|n|gh|gi|g|kh|k|ph|p|qu|q|th|tr|t|ch|c|dz|b|d|h|l|m|r|s|v|x|z|w|f|j"
_VOWELS = "oao|oai|oay|oeo|uay|uoi|uou|uya|uye|uyu|ieu|yeu|ai|ao|au|ay|eo|eu|ia|ie|iu|oa|oe|oi|oo|ua|ue|ui|uo|uu|uy|ya|ye|a|e|i|o|u|y"
_SYLLABLE = re.compile(rf"(?:{_ONSETS})?(?:{_VOWELS})(?:ch|ng|nh|c|m|n|p|t)?")
_LONGEST = 7


@lru_cache(maxsize=8192)
def is_vietnamese_syllable(word: str) -> bool:
    """Whether ``word`` (any case, with or without marks) has the shape of one Vietnamese syllable."""
    bare = strip_marks(fold(word))
    return len(bare) <= _LONGEST and _SYLLABLE.fullmatch(bare) is not None
