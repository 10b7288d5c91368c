"""Personal data is masked before anything else sees a question; clinical values and drug names never are (spec 03, "Scope")."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.text.spans import Span
from duocthu_core.understanding.masking import PersonalDataMasker, mask_personal_data
from tests.understanding.tables import SAFETY, TABLES

KINDS = SAFETY["pii"]["kinds"]
# Entries of "not" that describe instead of quoting.
DESCRIBED = {"doses, registration numbers", "addresses of manufacturers in leaflets", "phố without a name", "@ alone as a mention"}


def masked(text: str) -> str:
    return mask_personal_data(text, TABLES)[0]


@pytest.mark.parametrize(("kind", "text"), [(kind, str(text)) for kind, entry in KINDS.items() for text in entry["examples"]])
def test_every_example_of_the_table_is_masked_as_its_kind(kind: str, text: str) -> None:
    result, items = mask_personal_data(text, TABLES)
    assert [item.kind for item in items] == [kind]
    assert KINDS[kind]["mask"] in result
    digits = [word for word in text.split() if sum(sign.isdigit() for sign in word) > 4]
    assert not any(word in result for word in digits)


@pytest.mark.parametrize("text", [str(text) for entry in KINDS.values() for text in entry["not"] if str(text) not in DESCRIBED])
def test_what_the_table_calls_no_personal_data_stays(text: str) -> None:
    assert mask_personal_data(text, TABLES) == (text, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tôi tên nguyễn văn an, 45 tuổi", "tôi tên [HỌ TÊN], 45 tuổi"),
        ("BN NGUYỄN VĂN A 54 TUỔI SUY THẬN DÙNG PARACETAMOL", "BN [HỌ TÊN] 54 TUỔI SUY THẬN DÙNG PARACETAMOL"),
        ("bệnh nhân Cao Văn B", "bệnh nhân [HỌ TÊN]"),
        ("Nguyễn Thị Hoa uống paracetamol", "[HỌ TÊN] uống paracetamol"),
        ("bệnh nhân John Smith 40 tuổi", "bệnh nhân [HỌ TÊN] 40 tuổi"),
        ("liên hệ 0912 345 678 500 mg", "liên hệ [ĐIỆN THOẠI] 500 mg"),
        ("số điện thoại ０９１２３４５６７８", "số điện thoại [ĐIỆN THOẠI]"),
        ("gọi 0912\u200b345\u200b678", "gọi [ĐIỆN THOẠI]"),
        ("ĐT: 84912345678", "ĐT: [ĐIỆN THOẠI]"),
        ("sinh năm 85, 40 tuổi", "sinh năm [NGÀY SINH], 40 tuổi"),
        ("bà Trần Thị Cúc 72 tuổi ở 12/3 Lê Lợi, Q1", "bà [HỌ TÊN] 72 tuổi ở [ĐỊA CHỈ]"),
        ("Địa chỉ: 15 Nguyễn Trãi, Thanh Xuân, Hà Nội", "Địa chỉ: [ĐỊA CHỈ]"),
        ("nick thuocviet99", "nick [TÀI KHOẢN]"),
    ],
)
def test_everyday_writing_is_masked_too(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "BỆNH NHÂN SUY THẬN DÙNG PARACETAMOL LIỀU BAO NHIÊU",
        "BỆNH NHÂN CAO HUYẾT ÁP DÙNG THUỐC GÌ",
        "Bệnh Nhân Cao Tuổi Dùng Amlodipin",
        "cho bé Efferalgan 80 được không",
        "thuốc tên là Panadol",
        "tên là gì",
        "bệnh nhân Child-Pugh B",
        "BN COPD dùng salbutamol",
        "Chào bác sĩ Cho em hỏi",
        "Cháu Bị sốt 39 độ 5",
        "kháng histamin H1, H2",
        "Ngày 12/03/2024 bắt đầu uống amoxicilin",
        "uống 0,5 g - 1 g, cách 4 - 6 giờ",
        "1 000 000 đv mỗi 6 giờ",
        "NS 1000 ml",
        "huyết áp 120/80, Clcr 25 ml/phút, cao 1m65 nặng 50 kg, tuổi thai 32 tuần",
        "đường uống, quận 1, zalo của shop",
        "SĐK 893100020326, Lô 0123456789, J01CA04",
    ],
)
def test_clinical_words_and_values_are_never_masked(text: str) -> None:
    assert mask_personal_data(text, TABLES) == (text, ())


def test_a_drug_of_the_corpus_is_no_person() -> None:
    """A brand of one syllable looks like a name; the index of the corpus says that it is none."""
    text = "cho bé Zan 80 được không"
    assert masked(text) == "cho bé [HỌ TÊN] 80 được không"
    with_names = PersonalDataMasker(TABLES, lambda typed: [Span(typed.index("Zan"), typed.index("Zan") + 3)])
    assert with_names.mask(text) == (text, ())


def test_spans_point_at_the_masks_and_values_are_not_kept() -> None:
    text, items = mask_personal_data("BN Lê Văn C, 0912345678, CCCD 001085012345", TABLES)
    assert [(item.kind, item.span.of(text)) for item in items] == [
        ("ho_ten", "[HỌ TÊN]"),
        ("dien_thoai", "[ĐIỆN THOẠI]"),
        ("cccd", "[CCCD]"),
    ]
    assert "0912345678" not in str(items)


def test_two_accounts_after_one_label_are_both_gone() -> None:
    once = masked("STK 0123456789 0987654321")
    assert "0123456789" not in once
    assert "0987654321" not in once
    assert masked(once) == once


PIECES = st.sampled_from(
    [str(text) for entry in KINDS.values() for text in (*entry["examples"], *entry["not"], entry["mask"])]
    + ["paracetamol 500 mg", "bé", "BN", "STK", "Nguyễn", "Văn", "số nhà", "0912", "345", "678", ",", ".", "\n", "@", "zalo", "sinh năm"]
)


@given(st.lists(PIECES | st.text(max_size=12), max_size=8).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_masking_is_idempotent(text: str) -> None:
    once, items = mask_personal_data(text, TABLES)
    twice, more = mask_personal_data(once, TABLES)
    assert twice == once
    assert more == ()
    assert [item.span.of(once) for item in items] == [item.mask for item in items]
