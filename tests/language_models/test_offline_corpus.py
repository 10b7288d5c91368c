"""The offline model over whole corpora: whatever it says of any section passes every check, and says nothing that the block does not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_markdown import import_markdown
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.model import Block
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.settings import DEMO_CORPUS
from duocthu_core.verification.grounding import ground_claims
from duocthu_core.verification.guards import GuardContext, Guards
from tests.language_models.offline_asking import age, all_supported, asked

SHOWN = 12


def evidence_by_section(blocks: Iterable[Block]) -> list[list[Evidence]]:
    """The clean blocks of each drug and section, at most as many as retrieval shows."""
    grouped: dict[tuple[str, str], list[Block]] = defaultdict(list)
    for block in blocks:
        if not block.quarantined:
            grouped[(block.drug_id, block.section_key)].append(block)
    return [
        [
            Evidence(
                index=index,
                block_id=block.block_id,
                drug_id=block.drug_id,
                drug_name=block.drug_id,
                section_key=block.section_key,
                label=block.label,
                kind=block.kind,
                text=block.shown_text,
            )
            for index, block in enumerate(found[start : start + SHOWN], start=1)
        ]
        for found in grouped.values()
        for start in range(0, len(found), SHOWN)
    ]


def check_all(sections: list[list[Evidence]], *values, **resolved) -> int:
    """Asks about every section and holds each claim to every check; returns how many claims there were.

    The guards read a label in front of a copied line with care and may refuse one such claim in a thousand; nothing else is ever refused.
    """
    guards = Guards(shipped_ruleset())
    count = guarded = 0
    for evidence in sections:
        draft = asked("?", evidence, *values, amounts=True, **resolved)
        if not draft.claims:
            continue
        count += len(draft.claims)
        refused = [claim for claim in ground_claims(draft.claims, evidence) if claim.rejected]
        assert not refused, refused[0]
        context = GuardContext(asked_drug_ids=(str(evidence[0].drug_id),))
        guarded += sum(claim.rejected for claim in guards.check(draft.claims, evidence, context))
        assert all_supported(draft, evidence), draft.claims
    assert guarded <= max(1, count // 1000)
    return count


@pytest.fixture(scope="module")
def demo() -> Corpus:
    return load_corpus(DEMO_CORPUS)


def test_every_section_of_the_demo_corpus(demo):
    assert check_all(evidence_by_section(demo.blocks), intent="survey") > 1000


def test_the_doses_of_the_demo_corpus_for_a_child_of_eight(demo):
    doses = [evidence for evidence in evidence_by_section(demo.blocks) if evidence[0].section_key == "lieu_luong_cach_dung"]
    assert check_all(doses, age(8), population="tre_em") > 20


def test_an_answer_for_a_child_never_carries_an_adult_s_line(demo):
    for evidence in evidence_by_section(demo.blocks):
        if evidence[0].section_key != "lieu_luong_cach_dung":
            continue
        for claim in asked("?", evidence, age(8), amounts=True, population="tre_em").claims:
            head = claim.text.split(": ")
            assert not any(part.startswith("Người lớn") and "trẻ" not in part.lower() for part in head), claim.text


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["raw_paracetamol", "raw_amoxicilin", "raw_cefazolin"])
def test_every_section_of_a_real_monograph(shared_corpus: Path, name):
    text = (shared_corpus / f"{name}.md").read_text(encoding="utf-8")
    blocks = import_markdown(text, f"{name}.md", "2018").blocks
    assert check_all(evidence_by_section(blocks), intent="survey") > 60
