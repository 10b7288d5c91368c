"""Blocks: label lines, items with labels of their own, and how they fit a patient."""

from __future__ import annotations

import pytest

from duocthu_core.retrieval.block_scopes import BlockReader, Fit
from duocthu_core.retrieval.scopes import Patient
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.understanding.model import Question, ResolvedQuestion, Stated
from tests.retrieval.corpora import DOSAGE, block, table
from tests.retrieval.questions import clearance, kilograms, stated, years

_READER = BlockReader(shipped_ruleset())


def patient(population: str | None = None, *values: Stated) -> Patient:
    """A patient of this group with these values."""
    (who,) = _READER.scopes.patients(Question(text="", population=population, stated=values), ResolvedQuestion(population=population))
    return who


def fit(text: str, label: str | None, who: Patient, route: str | None = None, section: str = DOSAGE) -> Fit:
    """How one block fits."""
    return _READER.fit(block("thuoc", section, 1, text, label), [who], (route,) if route else ())


_BANDS = "Trẻ em 3 - 6 tháng tuổi: 60 mg; Trẻ em 6 tháng - 2 tuổi: 120 mg; Trẻ em 4 - 6 tuổi: 240 mg."
_RENAL = (
    "Tiêm tĩnh mạch: Clcr ≤ 30 ml/phút, giãn khoảng cách. Nếu uống, ở trẻ em, Clcr < 10 ml/phút, cho cách nhau 8 giờ/lần. "
    "Người lớn, Clcr 10 - 50 ml/phút, cho cách nhau 6 giờ/lần. Clcr < 10 ml/phút, cho cách nhau 8 giờ/lần."
)


def test_a_block_fits_when_one_of_its_items_does() -> None:
    assert fit(_BANDS, "Trẻ em:\nUống:", patient("tre_em", years(5))).mismatch is None
    assert fit(_BANDS, "Trẻ em:\nUống:", patient("tre_em", years(10))).mismatch == "other_band"


def test_a_label_of_somebody_else_leaves_the_whole_block() -> None:
    assert fit("Dùng 1 g mỗi lần.", "Người lớn:", patient("tre_em", years(5))).mismatch == "population"


def test_a_block_without_a_label_is_general_and_stays() -> None:
    found = fit("Nuốt nguyên viên với nước.", None, patient("tre_em", years(5)))
    assert (found.mismatch, found.specific) == (None, False)


def test_the_second_item_inherits_the_group_of_the_first() -> None:
    text = "Trẻ 3 tháng - 1 tuổi: 60 mg; 1 - 5 tuổi: 125 mg; 5 - 12 tuổi: 250 mg."
    assert fit(text, None, patient("tre_em", years(3))).mismatch is None
    assert fit(text, None, patient("tre_em", years(15))).mismatch == "other_band"


def test_nested_heads_are_read_in_turn() -> None:
    text = "Đau, sốt: Uống: Sơ sinh 28 - 32 tuần chỉnh theo tuổi thai: 20 mg/kg. Trẻ em 1 - 3 tháng tuổi: 30 mg."
    assert fit(text, None, patient("tre_so_sinh", stated("gestational_age", "30 tuần", 30)), "uong").specific
    assert fit(text, None, patient("tre_em", years(5))).mismatch == "other_band"
    assert fit(text, None, patient("tre_so_sinh"), "tiem_bap").mismatch == "route"


def test_a_clearance_replaces_the_clearance_before_and_keeps_the_group() -> None:
    found = fit(_RENAL, "Suy thận:", patient("suy_than", clearance(20)))
    assert (found.mismatch, found.specific, found.carries_dose) == (None, True, True)
    assert fit(_RENAL, "Suy thận:", patient("suy_than", clearance(80))).mismatch == "other_band"
    of_adults = "Người lớn, Clcr 10 - 50 ml/phút, cho cách nhau 6 giờ/lần. Clcr < 10 ml/phút, cho cách nhau 8 giờ/lần."
    assert fit(of_adults, "Suy thận:", patient("tre_em", years(5), clearance(5))).mismatch is not None


def test_a_sentence_that_only_repeats_the_group_does_not_undo_the_band() -> None:
    text = "2 - 3 tháng tuổi: một liều duy nhất 60 mg. Trẻ vẫn sốt sau đó thì cần đi khám."
    assert fit(text, "Trẻ nhỏ:\nUống:", patient("tre_em", years(8))).mismatch == "other_band"


def test_a_route_that_opens_a_sentence_is_that_sentence_only() -> None:
    text = "Liều uống thường dùng là 500 mg/lần. Đặt trực tràng: 1 g/lần."
    assert fit(text, "Người lớn:", patient("nguoi_lon"), "uong").mismatch is None
    assert fit(text, "Người lớn:", patient("nguoi_lon"), "tiem_bap").mismatch == "route"


def test_an_outer_label_that_contradicts_an_inner_one_gives_way() -> None:
    assert fit("10 mg/kg.", "Người lớn:\nTrẻ em:", patient("tre_em", years(5))).mismatch is None


def test_figures_of_one_group_are_no_figures_of_another() -> None:
    assert fit("1 g mỗi lần.", "Người lớn:", patient("suy_than")).mismatch == "population"
    assert fit("Cách nhau 8 giờ.", "Suy thận:", patient("nguoi_lon")).mismatch == "population"
    assert fit("Cách nhau 8 giờ.", "Suy thận:\nNgười lớn:", patient("nguoi_lon")).mismatch == "population"
    assert fit("Cách nhau 8 giờ.", "Suy thận:\nTrẻ em:", patient("suy_than")).mismatch is None


def test_outside_dosage_only_what_cannot_be_the_patient_is_left() -> None:
    assert fit("Theo dõi chức năng thận.", "Suy thận:", patient("nguoi_lon"), section="than_trong").mismatch is None
    assert fit("Không dùng.", "Trẻ em:", patient("nguoi_lon"), section="chong_chi_dinh").mismatch == "population"


def test_an_effect_is_no_group() -> None:
    found = fit("Thận: Suy thận, viêm thận kẽ.", "Hiếm gặp:", patient("tre_em", years(5)), section="tac_dung_khong_mong_muon")
    assert found.mismatch is None


@pytest.mark.parametrize(
    ("text", "carries"),
    [
        ("500 mg mỗi lần", True),
        ("60 mg/ kg/24 giờ", True),
        ("cách nhau 8 giờ/lần", True),
        ("50 % liều thông thường", True),
        ("uống 2 viên", True),
        ("5 000 đvqt", True),
        ("Clcr < 10 ml/phút", False),
        ("Cần giảm liều; theo dõi chức năng thận", False),
        ("trẻ em 6 - 8 tuổi", False),
        ("cân nặng 10 - 50 kg", False),
    ],
)
def test_a_dose_is_a_figure_with_a_dose_unit_or_an_interval(text: str, carries: bool) -> None:
    assert _READER.carries_dose(text) is carries


def test_a_table_is_known_by_its_caption_and_its_measure() -> None:
    renal = table("thuoc", DOSAGE, 1, "Bảng 2: liều cho trẻ em trên một tháng tuổi\nĐộ thanh thải creatinin (ml/phút) | Liều\n40 | 60%")
    assert _READER.fit(renal, [patient("suy_than")]).specific
    assert _READER.fit(renal, [patient("nguoi_lon")]).mismatch == "other_band"
    assert _READER.fit(renal, [patient("suy_gan")]).mismatch == "population"


def test_captions_get_exchanged_so_a_table_of_the_group_counts_whatever_age_it_names() -> None:
    renal = table("thuoc", DOSAGE, 1, "Bảng 1: liều cho người lớn suy thận\n35 - 54 | như thường")
    who = Question(text="", population="suy_than", stated=(years(5),))
    child = _READER.scopes.patients(who, ResolvedQuestion(population="suy_than"))
    assert _READER.fit(renal, child).mismatch is None


def test_a_weight_selects_items() -> None:
    text = "Cân nặng < 10 kg: 10 mg/kg. Cân nặng 10 - 50 kg: 15 mg/kg."
    assert fit(text, "Trẻ em:", patient("tre_em", kilograms(12))).specific
    assert fit(text, "Trẻ em:", patient("tre_em", kilograms(60))).mismatch == "other_band"


def test_listed_routes_are_any_of_them() -> None:
    text = "Tiêm bắp, tiêm tĩnh mạch chậm (ít nhất 3 phút) hoặc truyền: tổng liều 3 - 5 mg/kg/ngày."
    for route in ("tiem_bap", "tiem_tinh_mach", "truyen_tinh_mach"):
        assert fit(text, "Người lớn:", patient("nguoi_lon"), route).mismatch is None
    assert fit(text, "Người lớn:", patient("nguoi_lon"), "uong").mismatch == "route"


def test_a_label_behind_a_dose_and_a_comma_begins_an_item() -> None:
    text = "Tiêm bắp: Người lớn: 2 g/ngày chia 2 lần, trẻ em: 50 mg/kg/ngày."
    assert fit(text, None, patient("tre_em", years(5)), "tiem_bap").specific
    assert fit(text, None, patient("nguoi_lon"), "tiem_bap").specific


def test_a_limit_in_the_same_sentence_keeps_the_route_that_opened_it() -> None:
    text = "Liều uống thường dùng là 500 mg/lần, 6 giờ một lần; tối đa 4 g/ngày. Đặt trực tràng: 1 g/lần."
    assert fit(text, "Người lớn:", patient("nguoi_lon"), "truyen_tinh_mach").mismatch == "route"


def test_a_route_label_governs_the_groups_below_it() -> None:
    text = "Tiêm tĩnh mạch: Tiêm chậm trong 3 phút.\nNgười lớn: 1 g một lần.\nTrẻ em: 25 mg/kg một lần."
    assert fit(text, None, patient("tre_em", years(5)), "tiem_bap").mismatch == "route"
    assert fit(text, None, patient("tre_em", years(5)), "tiem_tinh_mach").mismatch is None


def test_a_sentence_about_children_alone_is_not_shown_for_an_adult() -> None:
    text = "Để giảm nguy cơ quá liều, không nên cho trẻ em quá 5 liều trong 24 giờ."
    assert fit(text, None, patient("nguoi_lon")).mismatch == "population"
    assert fit(text, None, patient("tre_em", years(5))).mismatch is None
    assert fit("Không tự dùng dài ngày, cho người lớn cũng như trẻ em.", None, patient("nguoi_lon")).mismatch is None


def test_a_long_sentence_about_groups_is_no_label() -> None:
    text = "Không được tự dùng để giảm đau quá 10 ngày ở người lớn hoặc quá 5 ngày ở trẻ em, trừ khi có chỉ dẫn."
    found = fit(text, None, patient("nguoi_lon"))
    assert (found.mismatch, found.specific, found.mentions_patient) == (None, False, True)
