"""The ground floor for text: spans, folding, phrases, sentences and numeric tokens.

Everything here works on NFC text and reports positions as :class:`~duocthu_core.text.spans.Span` in code points.
"""
