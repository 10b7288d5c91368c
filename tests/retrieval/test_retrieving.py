"""Retrieval: what is looked up for a question, what is kept, and why the rest is left."""

from __future__ import annotations

import pytest

from duocthu_core.retrieval.model import CandidateWhy
from duocthu_core.rulesets.model import Ruleset
from tests.retrieval.corpora import sample_corpus
from tests.retrieval.questions import DOSAGE, Asked, clearance, kept, kilograms, stated, why, years


@pytest.fixture(scope="module")
def ask(ruleset: Ruleset) -> Asked:
    """Questions to the sample corpus."""
    return Asked(sample_corpus(), ruleset)


def _small(ask: Asked, max_blocks: int) -> Asked:
    rules = ask.ruleset.model_copy(update={"retrieval": ask.ruleset.retrieval.model_copy(update={"max_blocks": max_blocks})})
    fresh = Ruleset.model_validate(rules.model_dump())
    return Asked(ask.source, fresh, ask.index)


def test_an_adult_gets_the_adult_lines_of_the_route(ask: Asked) -> None:
    found, _ = ask("liều Hatasol uống cho người lớn", ["hatasol"], DOSAGE, population="nguoi_lon", route="uong")
    assert kept(found) == [f"{DOSAGE}/1", f"{DOSAGE}/2", f"{DOSAGE}/12"]
    assert why(found, f"hatasol/{DOSAGE}/2") == "population"
    assert why(found, f"hatasol/{DOSAGE}/3") == "other_route"
    assert why(found, f"hatasol/{DOSAGE}/5") in ("other_band", "other_population")
    assert why(found, f"hatasol/{DOSAGE}/10") == "other_population"


def test_an_age_on_a_border_gets_both_neighbours(ask: Asked) -> None:
    found, _ = ask("bé 8 tuổi uống Hatasol", ["hatasol"], DOSAGE, population="tre_em", values=[years(8)], route="uong")
    assert [line for line in kept(found) if line not in (f"{DOSAGE}/1",)] == [f"{DOSAGE}/5", f"{DOSAGE}/6"]
    assert why(found, f"hatasol/{DOSAGE}/5") == "band"
    assert why(found, f"hatasol/{DOSAGE}/4") == "other_band"


def test_a_dose_under_no_label_is_not_shown_for_a_child_with_lines_of_its_own(ask: Asked) -> None:
    found, _ = ask("bé 8 tuổi uống Hatasol", ["hatasol"], DOSAGE, population="tre_em", values=[years(8)])
    assert why(found, f"hatasol/{DOSAGE}/12") == "general_dose"
    assert why(found, f"hatasol/{DOSAGE}/1") == "section"


def test_a_weight_selects_lines_and_leaves_ages_open(ask: Asked) -> None:
    found, _ = ask("trẻ 12 kg", ["hatasol"], DOSAGE, population="tre_em", values=[kilograms(12)])
    assert f"{DOSAGE}/8" in kept(found)
    assert f"{DOSAGE}/5" in kept(found)
    assert f"{DOSAGE}/2" not in kept(found)


def test_a_gestational_age_selects_the_newborn_line(ask: Asked) -> None:
    values = [stated("gestational_age", "30 tuần", 30)]
    found, _ = ask("sơ sinh 30 tuần", ["hatasol"], DOSAGE, population="tre_so_sinh", values=values)
    assert f"{DOSAGE}/9" in kept(found)
    assert f"{DOSAGE}/5" not in kept(found)


def test_a_renal_patient_gets_renal_lines_and_renal_tables_only(ask: Asked) -> None:
    found, _ = ask("liều Kilosin cho người suy thận", ["kilosin"], DOSAGE, population="suy_than")
    assert kept(found) == [f"{DOSAGE}/3"]
    assert [block.block_id for block in found.quarantined] == [f"kilosin/{DOSAGE}/4"]
    assert why(found, f"kilosin/{DOSAGE}/5") == "no_mention"
    assert why(found, f"kilosin/{DOSAGE}/1") == "other_population"


def test_a_group_and_a_drug_alone_look_where_the_group_is_spoken_of(ask: Asked) -> None:
    found, _ = ask("Kilosin suy thận", ["kilosin"], population="suy_than", asks_amounts=False)
    assert found.sections == (DOSAGE, "chong_chi_dinh", "than_trong")
    assert "than_trong/1" in kept(found)


def test_a_section_that_is_silent_on_the_group_falls_back_to_what_warns(ask: Asked) -> None:
    found, _ = ask("liều Amlosin cho người suy thận", ["amlosin"], DOSAGE, population="suy_than")
    assert kept(found) == []
    renal, _ = ask("liều Hatasol cho người suy gan", ["hatasol"], DOSAGE, population="suy_gan")
    assert kept(renal) == [f"{DOSAGE}/1", f"{DOSAGE}/11"]


def test_pregnancy_has_its_own_section(ask: Asked) -> None:
    found, _ = ask("Hatasol bà bầu uống được không", ["hatasol"], population="phu_nu_co_thai", asks_amounts=False)
    assert kept(found) == ["thoi_ky_mang_thai/1"]
    dosing, _ = ask("liều Hatasol cho bà bầu", ["hatasol"], DOSAGE, population="phu_nu_co_thai")
    assert "thoi_ky_mang_thai/1" in kept(dosing)
    assert f"{DOSAGE}/2" not in kept(dosing)
    assert f"{DOSAGE}/12" not in kept(dosing)


def test_a_named_section_is_looked_up_whole(ask: Asked) -> None:
    found, _ = ask("tương tác Hatasol", ["hatasol"], "tuong_tac_thuoc", asks_amounts=False)
    assert kept(found) == ["tuong_tac_thuoc/1", "tuong_tac_thuoc/2"]
    assert {candidate.how for candidate in found.candidates} == {"lookup"}


def test_evidence_is_numbered_from_one_and_carries_its_place(ask: Asked) -> None:
    found, _ = ask("Hatasol chỉ định", ["hatasol"], "chi_dinh", asks_amounts=False)
    (evidence,) = found.evidence
    assert (evidence.index, evidence.drug_name, evidence.section_title, evidence.page_start) == (1, "Hatasol", "Chỉ định", 100)
    assert evidence.url.startswith("duocthu://Bản thử tra cứu/hatasol/chi_dinh/1?h=sha256:")
    labelled, _ = ask("Hatasol suy gan", ["hatasol"], DOSAGE, population="suy_gan")
    assert labelled.evidence[-1].text == "Suy gan:\nDùng liều thấp, tránh kéo dài."


def test_a_block_without_a_page_is_dropped(ask: Asked) -> None:
    found, _ = ask("chống chỉ định Amlosin", ["amlosin"], "chong_chi_dinh", asks_amounts=False)
    assert found.evidence == ()
    assert found.without_page == ("amlosin/chong_chi_dinh/1",)
    assert why(found, "amlosin/chong_chi_dinh/1") == "no_page"


def test_the_least_relevant_blocks_make_room(ask: Asked) -> None:
    found, _ = _small(ask, 2)("liều Hatasol cho người lớn", ["hatasol"], DOSAGE, population="nguoi_lon", route="uong")
    assert kept(found) == [f"{DOSAGE}/1", f"{DOSAGE}/2"]
    assert [candidate.block_id for candidate in found.left_by_limit] == [f"hatasol/{DOSAGE}/12"]


def test_two_drugs_share_the_room(ask: Asked) -> None:
    found, _ = _small(ask, 2)("so sánh chỉ định", ["hatasol", "kilosin"], "chi_dinh", intent="compare", asks_amounts=False)
    assert {block.drug_id for block in found.evidence} == {"hatasol", "kilosin"}


def test_a_question_of_no_section_is_searched_by_its_words(ask: Asked) -> None:
    found, _ = ask("Hatasol có gây buồn ngủ không", ["hatasol"], asks_amounts=False)
    assert kept(found) == ["tac_dung_khong_mong_muon/1"]
    assert found.candidates[0].how == "search"


def test_a_word_or_two_in_common_is_not_enough(ask: Asked) -> None:
    found, _ = ask("Hatasol có gây rụng tóc khi ngủ không", ["hatasol"], asks_amounts=False)
    assert found.evidence == ()
    assert {candidate.why for candidate in found.candidates} <= {"little_overlap"}


def test_a_condition_lists_the_drugs_that_really_have_it(ask: Asked) -> None:
    found, _ = ask("thuốc nào điều trị tăng huyết áp", intent="condition_list", condition="tăng huyết áp", asks_amounts=False)
    assert [block.block_id for block in found.evidence] == ["amlosin/chi_dinh/1"]


def test_other_words_for_a_condition_find_it(ask: Asked) -> None:
    found, _ = ask("thuốc trị cao huyết áp", intent="condition_list", condition="cao huyết áp", asks_amounts=False)
    assert [block.drug_id for block in found.evidence] == ["amlosin"]


def test_a_cause_and_a_denial_are_no_indication(ask: Asked) -> None:
    fever, _ = ask("thuốc trị sốt", intent="condition_list", condition="sốt", asks_amounts=False)
    assert [block.drug_id for block in fever.evidence] == ["hatasol"]
    assert why(fever, "chisotol/chi_dinh/1") == "condition_not_held"
    malaria, _ = ask("thuốc trị sốt rét", intent="condition_list", condition="sốt rét", asks_amounts=False)
    assert malaria.evidence == ()


def test_a_list_has_at_most_so_many_drugs(ask: Asked) -> None:
    rules = ask.ruleset.model_copy(update={"retrieval": ask.ruleset.retrieval.model_copy(update={"condition_drugs_max": 1})})
    few = Asked(ask.source, Ruleset.model_validate(rules.model_dump()), ask.index)
    found, _ = few("thuốc trị nhiễm khuẩn hoặc đau", intent="condition_list", condition="đau", asks_amounts=False)
    assert len({block.drug_id for block in found.evidence}) == 1


def test_an_interaction_reads_both_sections_and_says_which_names_the_other(ask: Asked) -> None:
    found, _ = ask("Hatasol và Warfarol", ["hatasol", "warfarol"], intent="interaction", asks_amounts=False)
    by_drug = {naming.drug_id: naming.named_by for naming in found.namings}
    assert by_drug == {"hatasol": "class", "warfarol": "name"}
    assert [block.block_id for block in found.evidence] == ["hatasol/tuong_tac_thuoc/1", "warfarol/tuong_tac_thuoc/1"]
    assert why(found, "hatasol/tuong_tac_thuoc/2") == "not_named"


def test_a_drug_without_a_monograph_is_looked_for_by_its_class(ask: Asked) -> None:
    found, _ = ask("Hatasol và warfarin", ["hatasol"], intent="interaction", unknown=["warfarin"], asks_amounts=False)
    (naming,) = found.namings
    assert (naming.other_id, naming.other_name, naming.named_by) == (None, "warfarin", "class")


def test_a_follow_up_about_the_same_reuses_the_evidence(ask: Asked) -> None:
    before, _ = ask("liều Hatasol người lớn", ["hatasol"], DOSAGE, population="nguoi_lon")
    ids = [block.block_id for block in before.evidence[:2]]
    carried = {"drug_id": 2, "section_key": 2, "population": 2}
    more = "giải thích kỹ hơn"
    again, _ = ask(more, ["hatasol"], DOSAGE, population="nguoi_lon", inherited=carried, reuse=ids, verbosity=more)
    assert list(again.reused_ids) == ids
    assert {candidate.how for candidate in again.candidates} == {"reuse"}


@pytest.mark.parametrize(
    ("drug", "section", "values"), [("kilosin", DOSAGE, []), ("hatasol", "chi_dinh", []), ("hatasol", DOSAGE, [years(8)])]
)
def test_a_follow_up_that_changes_something_is_looked_up_afresh(ask: Asked, drug: str, section: str, values: list) -> None:
    ids = [f"hatasol/{DOSAGE}/2"]
    found, _ = ask("còn thế này thì sao", [drug], section, values=values, inherited={"drug_id": 2, "section_key": 2}, reuse=ids)
    assert found.reused_ids == ()


def test_every_reason_is_a_known_code(ask: Asked) -> None:
    codes = set(CandidateWhy.__args__)
    for population in (None, "nguoi_lon", "tre_em", "suy_than", "phu_nu_co_thai"):
        found, _ = ask("liều", ["hatasol", "kilosin"], DOSAGE, population=population, intent="compare")
        assert {candidate.why for candidate in found.candidates} <= codes


def test_every_block_of_the_section_is_a_candidate(ask: Asked) -> None:
    found, _ = ask("liều Hatasol", ["hatasol"], DOSAGE)
    assert [candidate.block_id for candidate in found.candidates] == [block.block_id for block in ask.source.blocks_of("hatasol", DOSAGE)]


def test_clearance_alone_is_a_renal_question(ask: Asked) -> None:
    found, _ = ask("Hatasol Clcr 20 ml/phút", ["hatasol"], DOSAGE, values=[clearance(20)])
    assert kept(found) == [f"{DOSAGE}/1", f"{DOSAGE}/10"]


def test_several_groups_get_the_lines_of_each(ask: Asked) -> None:
    found, _ = ask("liều Hatasol cho người lớn và trẻ em", ["hatasol"], DOSAGE, populations=("nguoi_lon", "tre_em"))
    assert {f"{DOSAGE}/2", f"{DOSAGE}/5"} <= set(kept(found))
    assert why(found, f"hatasol/{DOSAGE}/10") == "other_population"


def test_an_age_is_that_of_the_group_it_fits(ask: Asked) -> None:
    both = ("tre_em", "nguoi_lon")
    found, _ = ask("bé 7 tuổi và người lớn", ["hatasol"], DOSAGE, populations=both, values=[years(7)], route="uong")
    assert {f"{DOSAGE}/2", f"{DOSAGE}/5"} <= set(kept(found))
    assert f"{DOSAGE}/6" not in kept(found)


def test_several_routes_get_the_lines_of_each(ask: Asked) -> None:
    found, _ = ask("uống và đặt", ["hatasol"], DOSAGE, population="tre_em", values=[years(8)], routes=("uong", "truc_trang"))
    assert {f"{DOSAGE}/5", f"{DOSAGE}/7"} <= set(kept(found))
    assert why(found, f"hatasol/{DOSAGE}/8") == "other_route"
