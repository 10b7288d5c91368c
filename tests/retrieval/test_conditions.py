"""The guard of list mode: an indication must really be about the condition."""

from __future__ import annotations

import pytest

from duocthu_core.retrieval.conditions import Conditions
from duocthu_core.rulesets.loading import shipped_ruleset

_CONDITIONS = Conditions(shipped_ruleset())


def holds(condition: str, text: str) -> bool:
    """Whether the indication ``text`` is about ``condition`` or another word for it."""
    return _CONDITIONS.holds(_CONDITIONS.wordings(condition), text)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("tăng huyết áp", "Tăng huyết áp; đau thắt ngực ổn định."),
        ("cao huyết áp", "Điều trị tăng huyết áp nhẹ và vừa."),
        ("tiểu đường", "Đái tháo đường typ 2 khi ăn kiêng chưa đủ."),
        ("tang huyet ap", "Tăng huyết áp."),
        ("sốt", "Hạ sốt ở trẻ em."),
        ("sốt", "Đau nhẹ, sốt."),
        ("lao", "Dự phòng lao: người tiếp xúc."),
        ("lao", "Lao: phối hợp nhiều thuốc."),
        ("lậu", "Nhiễm Chlamydia, lậu không biến chứng."),
        ("nhiễm khuẩn đường tiết niệu", "Nhiễm khuẩn tiết niệu."),
        ("Staphylococcus", "Nhiễm khuẩn da do Staphylococcus."),
        ("đau thắt ngực", "Đau thắt ngực không ổn định."),
        ("viêm màng não", "Nhiễm khuẩn nặng khi không dùng được penicilin; nhất là tụ cầu (áp xe não, viêm màng não)."),
    ],
)
def test_an_indication_names_it(condition: str, text: str) -> None:
    assert holds(condition, text)


@pytest.mark.parametrize(
    ("condition", "text", "why"),
    [
        ("tăng huyết áp", "Hạ huyết áp tư thế.", "another condition with two syllables in common"),
        ("thấp khớp", "Thuốc không có tác dụng trị thấp khớp.", "denied"),
        ("sốt rét", "Nhiễm khuẩn nhẹ. Không dùng điều trị sốt rét.", "denied"),
        ("cúm", "Không dùng cho: viêm họng do virus; cúm.", "denied with the others of its list"),
        ("sốt", "Co giật do sốt cao.", "a cause"),
        ("sốt", "Sốt rét thể nhẹ.", "part of another name"),
        ("sốt", "Sốt giảm bạch cầu trung tính.", "part of another name"),
        ("lao", "Viêm màng não lao có tắc nghẽn.", "part of another name"),
        ("ho", "Ho gà ở trẻ nhỏ.", "part of another name"),
        ("đái tháo đường", "Bệnh thận do đái tháo đường.", "a cause"),
        ("suy tim", "Tăng huyết áp, nhất là kèm suy tim.", "stands beside what is treated"),
        ("viêm phổi", "Viêm màng phổi.", "other words between"),
    ],
)
def test_a_word_in_common_is_no_indication(condition: str, text: str, why: str) -> None:
    assert not holds(condition, text), why


def test_a_denial_in_another_sentence_denies_nothing() -> None:
    assert holds("viêm phổi", "Không dùng cho sốt rét. Viêm phổi mắc phải ở cộng đồng.")


def test_what_only_looks_negative_denies_nothing() -> None:
    assert holds("lậu", "Nhiễm khuẩn không biến chứng, lậu.")


def test_a_condition_without_other_words_is_only_itself() -> None:
    assert [wording.text for wording in _CONDITIONS.wordings("bạch tạng")] == ["bạch tạng"]
