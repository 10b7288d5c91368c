"""Blocks in the style of a formulary, in our own words, for tests of answering."""

from __future__ import annotations

from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.loading import shipped_ruleset


def block(
    index: int,
    text: str,
    *,
    section: str = "lieu_luong_cach_dung",
    label: str | None = None,
    drug: str = "paracetamol",
    name: str = "Paracetamol",
    page: int = 1120,
    quarantined: bool = False,
) -> Evidence:
    """One evidence block; ``text`` is its own text, the label lines are put in front as the corpus does."""
    titles = shipped_ruleset().tables["sections"]["sections"]
    return Evidence(
        index=index,
        block_id=f"{drug}/{section}/{index}",
        drug_id=drug,
        drug_name=name,
        section_key=section,
        section_title=titles.get(section, {}).get("label_vi", section),
        label=label,
        page_start=page,
        page_end=page,
        quarantined=quarantined,
        text=f"{label}\n{text}" if label else text,
    )
