"""Whom labels speak of, and whether that is the patient of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.conversation.model import PatientValue
from duocthu_core.retrieval.scopes import Patient, ScopeReader
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.understanding.model import Question, ResolvedQuestion, Stated
from tests.retrieval.questions import clearance, kilograms, stated, years

_RULES = shipped_ruleset()
_READER = ScopeReader(_RULES)
_FORMS = [*_RULES.tables["populations"]["label_forms"], *_RULES.tables["populations"]["union_labels"]]
# Their group is not in their words: it comes from the label above, or from a table's header.
_UNNAMED = {"1 - 5 tuổi:", "từ 5 đến < 10 kg", "Clcr (ml/phút/1,73m2)"}


def patient(population: str | None = None, *values: Stated) -> Patient:
    """A patient of this group with these values."""
    (who,) = _READER.patients(Question(text="", population=population, stated=values), ResolvedQuestion(population=population))
    return who


@pytest.mark.parametrize("row", [row for row in _FORMS if row["text"] not in _UNNAMED], ids=lambda row: row["text"])
def test_a_label_form_names_its_groups(row: dict) -> None:
    assert _READER.read(row["text"]).tags == set(row["tags"])


@pytest.mark.parametrize("row", [row for row in _FORMS if "route" in row], ids=lambda row: row["text"])
def test_a_label_form_names_its_route(row: dict) -> None:
    assert _READER.read(row["text"]).routes == {row["route"]}


@pytest.mark.parametrize(
    ("label", "who", "selection"),
    [
        ("Người lớn:", patient("nguoi_lon"), "inside"),
        ("Trẻ em:", patient("nguoi_lon"), "outside"),
        ("Người lớn:", patient("tre_em", years(8)), "outside"),
        ("Trẻ em:", patient("tre_em", years(8)), "inside"),
        ("Sơ sinh:", patient("tre_em", years(8)), "outside"),
        ("Sơ sinh:", patient("tre_em"), "unknown"),
        ("Trẻ em:", patient("tre_so_sinh"), "inside"),
        ("Trẻ em từ 1 tuổi trở lên:", patient("nguoi_lon"), "outside"),
        ("Trẻ em từ 1 tuổi trở lên:", patient("tre_em", years(8)), "inside"),
        ("Người lớn và trẻ em trên 2 tuổi:", patient("tre_em", years(8)), "inside"),
        ("Người lớn và trẻ em trên 2 tuổi:", patient("tre_em", years(1)), "outside"),
        ("Người lớn và trẻ em trên 2 tuổi:", patient("nguoi_lon"), "inside"),
        ("Người lớn và trẻ 6 tuổi hoặc lớn hơn:", patient("tre_em", years(8)), "inside"),
        ("phụ nữ mang thai và trẻ em dưới 8 tuổi", patient("phu_nu_co_thai"), "inside"),
        ("phụ nữ có thai, cho con bú", patient("phu_nu_cho_con_bu"), "inside"),
        ("Trẻ em 12 - 18 tuổi:", patient("tre_em", years(18)), "inside"),
        ("Người lớn:", patient("nguoi_cao_tuoi", years(72)), "inside"),
        ("Người cao tuổi:", patient(None, years(62)), "inside"),
        ("Người lớn:", patient(None, years(62)), "inside"),
        ("Người cao tuổi:", patient("nguoi_lon"), "unknown"),
        ("Sơ sinh thiếu tháng:", patient("tre_so_sinh_du_thang"), "outside"),
        ("Suy thận:", patient("suy_than"), "inside"),
        ("Suy thận:", patient("nguoi_lon"), "unknown"),
        ("chức năng thận bình thường:", patient("suy_than"), "outside"),
        ("chức năng thận bình thường:", patient(None, clearance(20)), "outside"),
        ("Clcr 10 - 30 ml/phút:", patient(None, clearance(20)), "inside"),
        ("Clcr < 10 ml/phút:", patient(None, clearance(20)), "outside"),
        ("suy thận, trẻ em", patient("nguoi_lon"), "outside"),
        ("Trẻ em cân nặng < 10 kg:", patient("tre_em", years(5)), "unknown"),
        ("Trẻ em cân nặng < 10 kg:", patient("tre_em", kilograms(12)), "outside"),
        ("Đau, sốt:", patient("tre_em", years(5)), "unknown"),
    ],
)
def test_a_label_speaks_of_a_patient(label: str, who: Patient, selection: str) -> None:
    assert _READER.selects(_READER.read(label), who) == selection


def test_a_bare_band_under_a_group_is_an_age() -> None:
    assert _READER.read("(7 - 30 ngày):", about_patients=True).kinds == {"age"}
    assert _READER.read("Dùng trong 7 ngày:").kinds == set()


@pytest.mark.parametrize(
    ("label", "asked", "selection"),
    [
        ("Uống:", "uong", "inside"),
        ("Truyền tĩnh mạch trong 15 phút:", "uong", "outside"),
        ("Uống, đặt trực tràng:", "truc_trang", "inside"),
        ("Viên nhai:", "uong", "inside"),
        ("Tiêm:", "tiem_bap", "unknown"),
        ("Tiêm bắp:", "tiem_khong_ro", "inside"),
        ("Tiêm bắp:", "tiem_tinh_mach", "outside"),
        ("Truyền tĩnh mạch:", "tiem_tinh_mach", "unknown"),
        ("Người lớn:", "uong", "unknown"),
        ("Đặt trực tràng:", "uong", "outside"),
        ("Sốt sau tiêm chủng:", "uong", "unknown"),
    ],
)
def test_a_route_label_is_for_a_route(label: str, asked: str, selection: str) -> None:
    assert _READER.routes.selects(_READER.routes.named_in(label), (asked,)) == selection


def test_an_age_gives_the_patient_its_groups() -> None:
    assert {"tre_em", "thieu_nien"} <= patient(None, years(15)).tags
    assert {"nguoi_lon", "nguoi_cao_tuoi"} <= patient(None, years(62)).tags
    assert patient(None, stated("age", "10 ngày", 10 / 30.4375)).tags == {"tre_em", "tre_so_sinh"}


def test_a_clearance_makes_a_renal_patient_unless_it_is_normal() -> None:
    assert patient(None, clearance(20)).groups == {"suy_than"}
    assert patient(None, clearance(110)).groups == set()


def test_a_weight_at_birth_chooses_nothing() -> None:
    at_birth = kilograms(2.8).model_copy(update={"unsure": True})
    assert patient("tre_em", at_birth).stated == ()


def test_every_group_that_the_question_names_counts() -> None:
    question = Question(text="", populations=("tre_em", "suy_than"), population="suy_than")
    (who,) = _READER.patients(question, ResolvedQuestion(population="suy_than"))
    assert who.tags == {"tre_em", "suy_than"}
    assert who.groups == {"suy_than"}


def test_several_groups_asked_about_are_several_patients() -> None:
    found = _READER.patients(Question(text="", populations=("nguoi_lon", "tre_em")), ResolvedQuestion())
    assert [who.tags for who in found] == [{"nguoi_lon"}, {"tre_em"}]


def test_a_carried_over_age_chooses_bands_as_a_stated_one_does() -> None:
    carried = (PatientValue(kind="age", text="8 tuoi", low=96, high=96),)
    (who,) = _READER.patients(Question(text=""), ResolvedQuestion(population="tre_em", carried_values=carried))
    assert _READER.selects(_READER.read("6 - 8 tuổi:"), who) == "inside"
    assert _READER.selects(_READER.read("2 - 4 tuổi:"), who) == "outside"


_WORDS = [
    "Người lớn",
    "trẻ em",
    "sơ sinh",
    "suy thận",
    "và",
    ",",
    "dưới",
    "8 tuổi",
    "6 - 12 tuổi",
    "uống",
    "tiêm bắp",
    "Clcr",
    "< 10 ml/phút",
    ":",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=8), st.sampled_from(["tre_em", "nguoi_lon", "suy_than", None]), st.integers(0, 90))
def test_selection_never_fails_and_is_stable(pieces: list[str], population: str | None, age: int) -> None:
    scope = _READER.read(" ".join(pieces))
    who = patient(population, years(age)) if age else patient(population)
    first = _READER.selects(scope, who)
    assert first in ("inside", "outside", "unknown")
    assert first == _READER.selects(_READER.read(" ".join(pieces)), who)
