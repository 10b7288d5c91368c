"""Questions to begin with: only about drugs that the corpus at hand has."""

from __future__ import annotations

from duocthu_core.bootstrap import Services
from pages.frame.words import _

_EXAMPLES = (
    ("paracetamol", "dose"),
    ("amoxicilin", "contraindication"),
    ("paracetamol", "child"),
    ("cefazolin", "adverse"),
    ("ibuprofen", "interaction"),
)
_SHOWN = 3


def examples(services: Services) -> list[str]:
    """At most three questions, each answerable from this corpus."""
    known = services.corpus.monographs
    return [_(f"example.{drug}_{kind}") for drug, kind in _EXAMPLES if drug in known][:_SHOWN]
