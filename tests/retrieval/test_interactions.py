"""Which drug an interaction section names, by name or by class."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Monograph
from duocthu_core.retrieval.interactions import Interactions
from duocthu_core.retrieval.model import InteractionNaming
from duocthu_core.rulesets.loading import shipped_ruleset
from tests.retrieval.corpora import EDITION, block

_INTERACTIONS = Interactions(shipped_ruleset())
_CORPUS = Corpus.of(
    [
        Monograph(drug_id="cetirizin-hydroclorid", name="Cetirizin hydroclorid", drug_class="Kháng histamin", edition=EDITION),
        Monograph(drug_id="acid-acetylsalicylic", name="Acid acetylsalicylic", drug_class="Giảm đau salicylat", edition=EDITION),
        Monograph(drug_id="amoxicilin-va-kali-clavulanat", name="Amoxicilin và kali clavulanat", edition=EDITION),
        Monograph(drug_id="ibuprofen", name="Ibuprofen", drug_class="Thuốc chống viêm không steroid", edition=EDITION),
        Monograph(drug_id="paracetamol", name="Paracetamol", inn="Acetaminophen", edition=EDITION),
    ],
    [],
    EDITION,
)


def naming(other: str, text: str, label: str | None = None) -> InteractionNaming:
    """Whether a section with this one block names ``other``."""
    known = other if other in _CORPUS.monographs else None
    found = _INTERACTIONS.other(known, _CORPUS.name_of(other), _CORPUS)
    return _INTERACTIONS.naming("thuoc", found, [block("thuoc", "tuong_tac_thuoc", 1, text, label)])


@pytest.mark.parametrize(
    ("other", "text", "named_by"),
    [
        ("cetirizin-hydroclorid", "Cetirizin làm tăng tác dụng an thần.", "name"),
        ("acid-acetylsalicylic", "Tránh dùng cùng aspirin.", "name"),
        ("acid-acetylsalicylic", "Salicylat làm tăng tác dụng.", "class"),
        ("amoxicilin-va-kali-clavulanat", "Amoxicilin bị giảm bài tiết.", "name"),
        ("paracetamol", "Acetaminophen liều cao kéo dài.", "name"),
        ("ibuprofen", "NSAID: tăng nguy cơ chảy máu.", "class"),
        ("ibuprofen", "Thuốc chống viêm không steroid.", "class"),
        ("warfarin", "Thuốc uống chống đông máu.", "class"),
        ("warfarin", "Coumarin và dẫn chất indandion.", "class"),
        ("cetirizin-hydroclorid", "Propranolol hydroclorid.", None),
        ("acid-acetylsalicylic", "Acid valproic.", None),
        ("amoxicilin-va-kali-clavulanat", "Kali huyết tăng.", None),
        ("ibuprofen", "Rượu làm tăng độc tính.", None),
    ],
)
def test_a_section_names_a_drug(other: str, text: str, named_by: str | None) -> None:
    assert naming(other, text).named_by == named_by


def test_a_label_names_too() -> None:
    found = naming("warfarin", "Tăng chảy máu.", "Warfarin:")
    assert (found.named_by, found.words, found.block_ids) == ("name", ("Warfarin",), ("thuoc/tuong_tac_thuoc/1",))


def test_a_name_counts_before_its_class() -> None:
    assert naming("ibuprofen", "NSAID khác, ibuprofen.").named_by == "name"


def test_no_section_at_all_is_told_apart_from_a_silent_one() -> None:
    other = _INTERACTIONS.other(None, "warfarin", _CORPUS)
    assert _INTERACTIONS.naming("thuoc", other, []).has_section is False
    assert naming("warfarin", "Rượu.").has_section is True
