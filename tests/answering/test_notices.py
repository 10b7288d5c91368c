"""Notices: the most urgent first, what was carried over is named, masked values never are."""

from __future__ import annotations

from duocthu_core.answering.model import Claim, Plan
from duocthu_core.answering.notices import (
    figures_left_out_notice,
    interaction_absent_notice,
    quarantine_notice,
    turn_notices,
)
from duocthu_core.conversation.model import ConversationState, Focus, PatientValue
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import MaskedItem, Question, RedFlag, ResolvedQuestion, StatedValues
from tests.answering.blocks import block

STATE = ConversationState(conversation_id="c", focus=Focus(drug_id="paracetamol", drug_name="Paracetamol"))
NAMES = {"paracetamol": "Paracetamol"}


def notices(ruleset, question=None, **resolved):
    return turn_notices(question or Question(text="?"), ResolvedQuestion(**resolved), NAMES, STATE, ruleset)


def test_nothing_to_say_gives_no_notice(ruleset):
    assert notices(ruleset, drug_id="paracetamol", section_key="chi_dinh") == ()


def test_what_was_carried_over_is_named(ruleset):
    (notice,) = notices(
        ruleset,
        drug_id="paracetamol",
        section_key="lieu_luong_cach_dung",
        population="tre_em",
        inherited={"drug_id": 2, "section_key": 2},
    )
    assert notice.kind == "carry_over"
    assert notice.text == "Hiểu là hỏi về Paracetamol; Liều lượng và cách dùng (lấy từ lượt trước). Nếu không phải, hãy ghi rõ."


def test_an_older_focus_says_how_old_it_is(ruleset):
    (notice,) = notices(ruleset, drug_id="paracetamol", population="tre_em", inherited={"drug_id": 2, "population": 6})
    assert "Paracetamol; Trẻ em, nêu 3 lượt trước (lấy" in notice.text


def test_the_values_of_the_patient_that_were_carried_over_are_named(ruleset):
    values = (PatientValue(kind="age", text="5 tuổi", low=60, high=60), PatientValue(kind="weight", text="18 kg", low=18, high=18))
    (notice,) = notices(ruleset, drug_id="paracetamol", carried_values=values, inherited={"drug_id": 2, "stated": 2})
    assert "Paracetamol; 5 tuổi, 18 kg (lấy từ lượt trước)" in notice.text


def test_a_carried_verbosity_is_no_content(ruleset):
    assert notices(ruleset, drug_id="paracetamol", verbosity="detailed", inherited={"verbosity": 2}) == ()


def test_an_emergency_stands_first_and_once(ruleset):
    flags = tuple(
        RedFlag(kind="co_giat", words=words, span=Span(0, 3), advice_vi="Gọi 115 ngay.", advice_en="Call 115 now.") for words in ("a", "b")
    )
    masked = (MaskedItem(kind="dien_thoai", mask="[ĐIỆN THOẠI]", span=Span(0, 12)),)
    found = notices(ruleset, Question(text="?", red_flags=flags, masked=masked), drug_id="paracetamol", inherited={"drug_id": 2})
    assert [notice.kind for notice in found] == ["red_flag", "carry_over", "masked"]
    assert found[0].text == "Gọi 115 ngay."
    assert "số điện thoại" in found[2].text


def test_every_kind_of_personal_data_has_a_name(ruleset):
    kinds = ruleset.tables["safety"]["pii"]["kinds"]
    assert set(kinds) == set(ruleset.tables["severity"]["masked_kinds"])


def test_cues_unknown_names_and_stated_values_are_said(ruleset):
    question = Question(text="?", injection_cues=("bỏ qua quy tắc",), unknown_names=("Xyzol",))
    found = notices(ruleset, question, section_key="lieu_luong_cach_dung", stated=StatedValues(age="8 tuổi", weight="24 kg"))
    assert [notice.kind for notice in found] == ["unknown_drug", "stated_band", "injection"]
    assert "Xyzol" in found[0].text
    assert "8 tuổi, 24 kg" in found[1].text


def test_a_stated_age_is_no_news_outside_doses(ruleset):
    assert notices(ruleset, section_key="chi_dinh", stated=StatedValues(age="8 tuổi")) == ()


def test_who_asks_for_the_best_drug_is_told_that_the_book_does_not_rank(ruleset):
    asked = Question(text="thuốc nào trị tăng huyết áp tốt nhất?")
    assert [notice.kind for notice in notices(ruleset, asked, intent="condition_list")] == ["ranking"]
    plain = Question(text="thuốc nào trị tăng huyết áp?")
    assert notices(ruleset, plain, intent="condition_list") == ()


def test_pages_of_a_quarantined_table_are_sorted_and_named_once(ruleset):
    notice = quarantine_notice([345, 344, 345], ruleset)
    assert notice.pages == (344, 345)
    assert "trang 344, 345" in notice.text


def test_an_absent_interaction_is_never_safety(ruleset):
    text = interaction_absent_notice("Warfarin", "Paracetamol", ruleset).text
    assert text == "Dược thư không nêu Warfarin trong mục tương tác của Paracetamol; không có nghĩa là an toàn."


def test_braces_in_a_name_are_text(ruleset):
    assert "{drug}" in interaction_absent_notice("{drug}", "Paracetamol", ruleset).text


PLAN = Plan(
    verbosity="concise", layout="bullet_list", reasoning_mode="lookup", show_heading=False, needs_warning=True, suppress_numbers=True
)
THRESHOLD = block(1, "Giảm liều khi Clcr < 30 ml/phút.", section="than_trong", label="Suy thận:", page=965)
PLAIN = block(2, "Theo dõi chức năng gan. Đái tháo đường typ 2 cần chỉnh đường huyết.", section="than_trong", page=966)
CLAIMS = [Claim(text="Theo dõi chức năng gan.", citations=(2,))]


def test_a_line_left_out_for_its_figures_is_named_with_its_page(ruleset):
    notice = figures_left_out_notice(PLAN, CLAIMS, [THRESHOLD, PLAIN], ruleset)
    assert notice is not None
    assert notice.pages == (965,)
    assert "“Suy thận: Giảm liều khi Clcr …”. Xem đoạn sách, trang 965." in notice.text


def test_a_number_that_names_something_is_no_figure_left_out(ruleset):
    assert figures_left_out_notice(PLAN, CLAIMS, [PLAIN], ruleset) is None


def test_nothing_is_named_of_other_sections_or_where_figures_are_shown(ruleset):
    other = block(3, "Liều 500 mg.", page=967)
    assert figures_left_out_notice(PLAN, CLAIMS, [PLAIN, other], ruleset) is None
    shown = PLAN.model_copy(update={"suppress_numbers": False})
    assert figures_left_out_notice(shown, CLAIMS, [THRESHOLD, PLAIN], ruleset) is None
    assert figures_left_out_notice(PLAN, [], [THRESHOLD, PLAIN], ruleset) is None


def test_many_lines_are_not_all_listed(ruleset):
    many = block(1, "\n".join(f"Trường hợp {chr(97 + n)}: {n + 1} mg." for n in range(9)), section="than_trong", page=965)
    notice = figures_left_out_notice(PLAN, CLAIMS, [many, PLAIN], ruleset)
    assert notice is not None
    assert notice.text.count("…”") == 5
    assert "+4" in notice.text
