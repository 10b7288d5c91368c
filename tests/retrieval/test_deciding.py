"""Decision: each kind and each reason, and what the reader is told beside it."""

from __future__ import annotations

import pytest

from duocthu_core.retrieval.deciding import Decision, decide
from duocthu_core.retrieval.model import Retrieval
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.model import Question, ResolvedQuestion
from tests.retrieval.corpora import sample_corpus
from tests.retrieval.questions import DOSAGE, Asked, clearance, kept, offer, years


@pytest.fixture(scope="module")
def ask(ruleset: Ruleset) -> Asked:
    """Questions to the sample corpus."""
    return Asked(sample_corpus(), ruleset)


def _texts(decision: Decision) -> list[str]:
    return [notice.text for notice in decision.notices]


def test_clean_blocks_answer(ask: Asked) -> None:
    _, decision = ask("liều Hatasol người lớn uống", ["hatasol"], DOSAGE, population="nguoi_lon", route="uong")
    assert (decision.kind, decision.reject_reason, decision.notices) == ("ANSWER", None, ())


def test_no_drug(ask: Asked) -> None:
    _, decision = ask("liều bao nhiêu", section=DOSAGE)
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "no_drug")


def test_a_drug_without_a_monograph_has_no_evidence(ask: Asked) -> None:
    _, decision = ask("liều Losartan", section=DOSAGE, unknown=["Losartan"])
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "no_evidence")


def test_a_misspelling_is_offered_and_never_assumed(ask: Asked) -> None:
    _, decision = ask("liều hatason", section=DOSAGE, offers=[offer("hatason", "hatasol", "Hatasol")])
    assert decision.kind == "CLARIFY"
    assert decision.clarifying_question == "Ý bạn là Hatasol?"
    assert decision.quick_replies == ("Hatasol", "Không phải")


def test_several_offers_become_replies_best_first(ask: Asked) -> None:
    offers = [offer("losin", "kilosin", "Kilosin", score=84), offer("losin", "amlosin", "Amlosin", score=92)]
    _, decision = ask("liều losin", section=DOSAGE, offers=offers)
    assert decision.quick_replies == ("Amlosin", "Kilosin")
    assert "losin" in (decision.clarifying_question or "")


def test_look_alikes_are_always_asked(ask: Asked) -> None:
    offers = [offer("kilosin", "kilosin", "Kilosin", "look_alike"), offer("kilosin", "amlosin", "Amlosin", "look_alike")]
    _, decision = ask("liều kilosin", ["kilosin"], DOSAGE, offers=offers)
    assert decision.kind == "CLARIFY"
    assert decision.clarifying_question == "Các tên này dễ nhầm với nhau: Kilosin và Amlosin. Bạn hỏi về thuốc nào?"


def test_a_stray_misspelling_beside_a_named_drug_is_not_asked(ask: Asked) -> None:
    _, decision = ask("liều Hatasol cho người lớn khỏe", ["hatasol"], DOSAGE, offers=[offer("khỏe", "kilosin", "Kilosin")])
    assert decision.kind == "ANSWER"


def test_a_misspelt_second_drug_of_an_interaction_is_asked(ask: Asked) -> None:
    offers = [offer("warfaro", "warfarol", "Warfarol")]
    _, decision = ask("Hatasol với warfaro", ["hatasol"], intent="interaction", offers=offers, asks_amounts=False)
    assert decision.clarifying_question == "Ý bạn là Warfarol?"


def test_a_name_in_a_follow_up_is_asked_though_a_drug_was_carried_over(ask: Asked) -> None:
    offers = [offer("kilosim", "kilosin", "Kilosin")]
    _, decision = ask("còn kilosim", ["hatasol"], DOSAGE, offers=offers, inherited={"drug_id": 2})
    assert decision.kind == "CLARIFY"


def test_two_drugs_and_no_word_between_them_are_asked_about(ask: Asked) -> None:
    _, decision = ask("Hatasol Kilosin", ["hatasol", "kilosin"], asks_amounts=False)
    assert decision.kind == "CLARIFY"
    assert decision.quick_replies == ("Hatasol", "Kilosin", "So sánh Hatasol và Kilosin", "Tương tác giữa Hatasol và Kilosin")


def test_too_many_drugs_are_ambiguous(ask: Asked) -> None:
    _, decision = ask("liều", ["hatasol", "kilosin", "amlosin", "warfarol", "chisotol"], DOSAGE)
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "ambiguous_drug")


def test_a_drug_alone_is_asked_which_section(ask: Asked) -> None:
    _, decision = ask("Hatasol", ["hatasol"], asks_amounts=False)
    assert decision.clarifying_question == "Bạn muốn biết điều gì về Hatasol?"
    assert decision.quick_replies == ("Chỉ định", "Liều lượng và cách dùng", "Chống chỉ định", "Tác dụng không mong muốn (ADR)")


def test_only_sections_that_the_monograph_has_are_offered(ask: Asked) -> None:
    _, decision = ask("Warfarol", ["warfarol"], asks_amounts=False)
    assert decision.quick_replies == ("Chỉ định", "Tương tác thuốc")


def test_words_that_are_not_found_are_said_and_sections_offered(ask: Asked) -> None:
    _, decision = ask("Hatasol có gây rụng tóc không", ["hatasol"], asks_amounts=False)
    assert decision.kind == "CLARIFY"
    assert "rụng tóc" in (decision.clarifying_question or "")
    assert "không có nghĩa là không có" in (decision.clarifying_question or "")


def test_renal_doses_in_a_table_send_the_reader_to_the_page(ask: Asked) -> None:
    """The prose says "cần giảm liều": it speaks of kidneys and carries no dose."""
    for section, asks in ((DOSAGE, True), (None, False)):
        _, decision = ask("Kilosin suy thận", ["kilosin"], section, population="suy_than", asks_amounts=asks)
        assert (decision.kind, decision.reject_reason) == ("VERIFY_PDF", "quarantined")
        assert decision.quarantined_pages == (345,)
        assert _texts(decision)[-1].endswith("trang 345.")


def test_a_clearance_in_a_table_sends_the_reader_to_the_page(ask: Asked) -> None:
    _, decision = ask("Kilosin Clcr 20 ml/phút", ["kilosin"], DOSAGE, values=[clearance(20)])
    assert (decision.kind, decision.quarantined_pages) == ("VERIFY_PDF", (345,))


def test_renal_doses_in_clean_lines_answer(ask: Asked) -> None:
    found, decision = ask("Hatasol Clcr 20 ml/phút", ["hatasol"], DOSAGE, values=[clearance(20)])
    assert decision.kind == "ANSWER"
    assert f"{DOSAGE}/10" in kept(found)


def test_clean_blocks_beside_tables_answer_with_their_pages(ask: Asked) -> None:
    _, decision = ask("liều Kilosin người lớn", ["kilosin"], DOSAGE, population="nguoi_lon")
    assert (decision.kind, decision.quarantined_pages) == ("ANSWER", (346,))
    assert decision.notices[-1].kind == "quarantine"
    assert decision.notices[-1].pages == (346,)


def test_a_section_that_is_all_table_sends_the_reader_to_the_page(ask: Asked) -> None:
    _, decision = ask("dược lý Kilosin", ["kilosin"], "duoc_ly", asks_amounts=False)
    assert (decision.kind, decision.quarantined_pages) == ("VERIFY_PDF", (340,))


def test_doses_that_stand_only_in_a_table_send_the_reader_to_the_page(ask: Asked) -> None:
    _, decision = ask("liều Chisotol bao nhiêu", ["chisotol"], DOSAGE)
    assert (decision.kind, decision.quarantined_pages) == ("VERIFY_PDF", (513,))


def test_nothing_for_this_patient_is_said_and_nothing_inferred(ask: Asked) -> None:
    _, decision = ask("liều Amlosin bé 3 tuổi", ["amlosin"], DOSAGE, population="tre_em", values=[years(3)])
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "no_evidence")
    assert _texts(decision) == [
        "Mục Liều lượng và cách dùng của Amlosin không nêu riêng cho Trẻ em, 3 tuổi; không suy ra từ liều của nhóm khác."
    ]


def test_nothing_for_this_group_is_said(ask: Asked) -> None:
    _, decision = ask("liều Amlosin suy thận", ["amlosin"], DOSAGE, population="suy_than")
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "no_evidence")
    assert "Người suy thận" in _texts(decision)[0]


def test_nothing_for_this_route_is_said(ask: Asked) -> None:
    _, decision = ask("liều Hatasol tiêm bắp người lớn", ["hatasol"], DOSAGE, population="tre_em", values=[years(7)], route="tiem_bap")
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "no_evidence")


def test_a_line_that_says_no_dose_is_known_answers(ask: Asked) -> None:
    _, decision = ask("liều Hatasol người suy gan", ["hatasol"], DOSAGE, population="suy_gan")
    assert decision.kind == "ANSWER"


def test_missing_page(ask: Asked) -> None:
    _, decision = ask("chống chỉ định Amlosin", ["amlosin"], "chong_chi_dinh", asks_amounts=False)
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "missing_page")


def test_no_evidence_in_a_section_that_the_monograph_lacks(ask: Asked) -> None:
    _, decision = ask("tương kỵ Hatasol", ["hatasol"], "tuong_ky", asks_amounts=False)
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "no_evidence")


def test_an_interaction_that_is_not_named_is_never_called_safe(ask: Asked) -> None:
    _, decision = ask("Hatasol và Kilosin", ["hatasol", "kilosin"], intent="interaction", asks_amounts=False)
    assert decision.kind == "ANSWER"
    assert _texts(decision) == ["Dược thư không nêu Kilosin trong mục tương tác của Hatasol; không có nghĩa là an toàn."]


def test_an_interaction_named_by_its_class_says_so(ask: Asked) -> None:
    _, decision = ask("Hatasol và warfarin", ["hatasol"], intent="interaction", unknown=["warfarin"], asks_amounts=False)
    assert (decision.kind, decision.notices[0].kind) == ("ANSWER", "interaction_class")
    assert _texts(decision)[0] == "Mục tương tác của Hatasol không nêu tên warfarin mà nêu nhóm: “chống đông máu”."


def test_a_monograph_without_an_interaction_section_is_said_to_have_none(ask: Asked) -> None:
    _, decision = ask("Amlosin và Warfarol", ["amlosin", "warfarol"], intent="interaction", asks_amounts=False)
    assert "Chuyên luận Amlosin không có nội dung ở mục Tương tác thuốc." in _texts(decision)


def test_an_unknown_second_drug_is_asked_about(ask: Asked) -> None:
    _, decision = ask("Hatasol và warfarin", ["hatasol"], unknown=["warfarin"], asks_amounts=False)
    assert decision.kind == "CLARIFY"
    assert decision.quick_replies == ("Hatasol", "Tương tác giữa Hatasol và warfarin")


def test_an_interaction_that_neither_names_says_so_for_both(ask: Asked) -> None:
    _, decision = ask("Kilosin và Warfarol", ["kilosin", "warfarol"], intent="interaction", asks_amounts=False)
    assert len([text for text in _texts(decision) if "không có nghĩa là an toàn" in text]) == 2


def test_a_comparison_says_which_drug_has_nothing(ask: Asked) -> None:
    _, decision = ask("so sánh quá liều", ["hatasol", "kilosin"], "qua_lieu_xu_tri", intent="compare", asks_amounts=False)
    assert decision.kind == "ANSWER"
    assert _texts(decision) == ["Chuyên luận Kilosin không có nội dung ở mục Quá liều và xử trí."]


def test_what_there_was_no_room_for_is_said(ask: Asked) -> None:
    rules = ask.ruleset.model_copy(update={"retrieval": ask.ruleset.retrieval.model_copy(update={"max_blocks": 5})})
    few = Asked(ask.source, Ruleset.model_validate(rules.model_dump()), ask.index)
    _, decision = few("tất cả liều Hatasol", ["hatasol"], DOSAGE, intent="survey")
    assert decision.notices[-1].kind == "left_out"
    assert "Còn 7 đoạn" in decision.notices[-1].text


def test_a_survey_without_a_section_shows_the_overview(ask: Asked) -> None:
    found, decision = ask("tổng quan Hatasol", ["hatasol"], intent="survey", asks_amounts=False)
    assert decision.kind == "ANSWER"
    assert {"chi_dinh/1", "chong_chi_dinh/1"} <= set(kept(found))


def test_a_condition_that_no_indication_holds_has_no_evidence(ask: Asked) -> None:
    _, decision = ask("thuốc nào trị bạch tạng", intent="condition_list", condition="bạch tạng", asks_amounts=False)
    assert (decision.kind, decision.reject_reason) == ("ABSTAIN", "no_evidence")


def test_texts_come_in_english_too(ask: Asked) -> None:
    question, resolved = Question(text="Hatasol"), ResolvedQuestion(drug_ids=("hatasol",), drug_id="hatasol")
    decision = decide(question, resolved, Retrieval(query=""), ask.source, ask.ruleset, language="en")
    assert decision.clarifying_question == "What would you like to know about Hatasol?"
    assert decision.quick_replies[0] == "Indications"


def test_every_reader_message_has_both_languages(ruleset: Ruleset) -> None:
    for key, message in ruleset.tables["severity"]["reader_messages"].items():
        assert set(message) == {"vi", "en"}, key
