"""The importer as a whole: blocks, report, and any text at all."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.corpus.checking import check_corpus
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_markdown import MarkdownImport, import_markdown
from duocthu_core.text.numbers import numeric_tokens
from tests.corpus.books import book, read


def _kept_numbers(result: MarkdownImport) -> Counter[str]:
    texts = (*(block.text for block in result.blocks), *result.outside)
    return Counter(token.text for text in texts for token in numeric_tokens(text))


def test_blocks_are_numbered_within_their_section() -> None:
    result = read(book(("Thận trọng", "Theo dõi gan.\n\nTheo dõi thận."), ("Tương kỵ", "Không trộn.")))
    assert [block.block_id for block in result.blocks] == ["thuoc-thu/than_trong/1", "thuoc-thu/than_trong/2", "thuoc-thu/tuong_ky/1"]


def test_a_section_that_stands_twice_goes_on_with_its_numbers() -> None:
    result = read(book(("Thận trọng", "Theo dõi gan."), ("Tương kỵ", "Không trộn."), ("Thận trọng", "Theo dõi thận.")))
    assert [block.block_id for block in result.blocks if block.section_key == "than_trong"] == [
        "thuoc-thu/than_trong/1",
        "thuoc-thu/than_trong/2",
    ]


def test_text_is_stored_in_nfc_with_the_characters_of_the_source() -> None:
    source = unicodedata.normalize("NFD", book(("Bảo quản", "Dưới 30\u00a0ºC; 1/1~000; 2.400 mg và 2.5ml – “tốt”.")))
    [block] = read(source).blocks
    assert block.text == "Dưới 30\u00a0ºC; 1/1~000; 2.400 mg và 2.5ml – “tốt”."


@pytest.mark.parametrize("line_end", ["\r\n", "\r", "\u2028"])
def test_line_ends_of_other_systems_are_line_ends(line_end: str) -> None:
    result = read(book(("Chỉ định", "Sốt."), ("Tương kỵ", "Không trộn.")).replace("\n", line_end))
    assert [block.text for block in result.blocks] == ["Sốt.", "Không trộn."]


def test_the_report_counts_pages_repairs_and_quarantine() -> None:
    text = book(("Chỉ định", "Sốt *cao*."), ("Liều lượng và cách dùng", "12 **Thuốc thử** DTQGVN 2\n\n| a | 5 |\n|---|---|\n| b | 6 |"))
    report = read(text).report
    assert (report.status, report.error, report.accepted, report.headers) == ("accepted", None, 2, 1)
    assert [(page.page, page.blocks, page.repaired, page.quarantined) for page in report.pages] == [(11, 1, 1, 0), (12, 1, 1, 1)]
    assert [(block.block_id, block.page, block.reason) for block in report.quarantined] == [
        ("thuoc-thu/lieu_luong_cach_dung/1", 12, "table")
    ]
    assert [repair.removed for repair in report.repaired[0].repairs] == ["*", "*"]


def test_an_empty_section_is_reported() -> None:
    report = read(book(("Chỉ định", "Sốt."), ("Tương kỵ", ""))).report
    assert [(warning.line, warning.reason, warning.detail) for warning in report.warnings if warning.reason == "empty_section"] == [
        (7, "empty_section", "Thuốc thử: Tương kỵ")
    ]


def test_blocks_without_a_page_are_reported() -> None:
    assert [w.detail for w in read(book(("Chỉ định", "Sốt."))).report.warnings if w.reason == "no_page"] == ["1 khối"]


@pytest.mark.parametrize(("text", "said"), [("", "không có chữ nào"), ("Một đoạn văn.", "dòng 1: không tìm thấy chuyên luận nào")])
def test_a_text_without_a_monograph_is_rejected_with_its_line(text: str, said: str) -> None:
    result = read(text)
    assert (result.blocks, result.report.status) == ((), "rejected")
    assert said in (result.report.error or "")


def test_the_report_reads_as_lines() -> None:
    lines = "\n".join(read("Đoạn lạc.\n\n" + book(("Chỉ định", "| a | 5 |\n|---|---|\n| b | 6 |"))).report.lines())
    assert "1 chuyên luận (Thuốc thử), 1 khối" in lines
    assert "cách ly 1 khối: bảng 1" in lines
    assert "dòng 1: không nhập (đứng trước chuyên luận đầu tiên): Đoạn lạc." in lines


_LINES = """\
# **THUỐC THỬ**
# **THUỐC KIA (tên khác)**
#### **Liều lượng và cách dùng**
#### Chỉ định
**Tác dụng không mong muốn (ADR)**
Tên chung quốc tế: Testum.
*Người lớn:*
*Trẻ em:*
Đau, sốt:
Suy thận: Clcr < 10 ml/phút, uống 5 mg/24 giờ.
Trẻ em 3 - 6 tháng tuổi: 6 mg; Trẻ em 6 tháng - 2 tuổi: 12 mg; 2 - 4 tuổi: 18 mg. Các liều cho trẻ từ 3 tháng nhắc lại 4 lần.
*Uống:* Sơ sinh: 10 mg/kg. Trẻ em: 1 000 mg/200 mg, tối đa 4 g/ngày. Đau sau phẫu thuật:
Ít gặp, 1/1~000 < ADR < 1/100
Da: Ban 1,5%.
Không quá 4 lần/24 giờ.
12 **Thuốc thử** DTQGVN 2 DTQGVN 2 **Thuốc kia** 13
DTQGVN 2 Thuốc thử 14
15
| Clcr | 10 |
|---|---|
*Bảng 1: Liều*
Clcr =
(140 - tuổi) x 72
dùng 30 <sup>o</sup> C và 10<sup>6</sup>
- 5 mg
phần sau của câu 7,5 mg,
50
Tiêm bắp: 5 mg. Truyền tĩnh mạch trong 30 phút.
*Cách dùng:* Nuốt.
Bảo quản dưới 30 ºC

"""
LINES = st.sampled_from(_LINES.splitlines())


@settings(max_examples=200)
@given(st.lists(LINES, max_size=24), st.sampled_from(["\n", "\n\n"]))
def test_no_figure_is_lost_or_made_however_the_lines_stand(lines: list[str], between: str) -> None:
    source = between.join(lines)
    result = import_markdown(source, "x", "e")
    assert not [warning for warning in result.report.warnings if warning.reason == "numbers_changed"]
    digits = Counter(re.findall(r"\d", source))
    kept = Counter(re.findall(r"\d", "".join((*(block.text for block in result.blocks), *result.outside))))
    assert not kept - digits


@given(st.lists(LINES, max_size=24), st.sampled_from(["\n", "\n\n"]))
def test_what_comes_out_is_a_corpus_without_problems_of_its_own(lines: list[str], between: str) -> None:
    result = import_markdown(between.join(lines), "x", "e")
    corpus = Corpus.of(result.monographs, result.blocks, "e")
    expected = {"no_page", "pages", "page_order"}
    assert [problem for problem in check_corpus(corpus) if problem.code not in expected] == []


@given(st.text(max_size=300))
def test_any_text_gives_a_report_and_never_an_error(text: str) -> None:
    assert import_markdown(text, "x", "e").report.path == "x"


@given(st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=20), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_any_mixture_gives_a_report_and_never_an_error(pieces: list[str], between: str) -> None:
    result = import_markdown(between.join(("# **THUỐC THỬ**\n\n## Liều lượng và cách dùng\n\n", *pieces)), "x", "e")
    Corpus.of(result.monographs, result.blocks, "e")


@pytest.mark.parametrize(
    ("unit", "blocks"),
    [
        ("Trẻ em 1 - 2 tuổi: 5 mg; ", 2000),
        ("Trẻ em: 5 mg.\n\n", 2000),
        ("*a* b ", 1),
        ("a: ", 1),
        ("(140 - tuổi) x 5 =\n\n", 1),
        ("Đau bụng:\n\n", 2000),
        ("| 5 |\n", 1),
        ("7\n", 2000),
    ],
)
def test_two_thousand_repeats_in_one_section_are_read_whole(unit: str, blocks: int) -> None:
    result = import_markdown("# **THUỐC THỬ**\n\n## Liều lượng và cách dùng\n\n" + unit * 2000, "x", "e")
    text = " ".join(" ".join(filter(None, (block.label, block.text))) for block in result.blocks)
    assert len(result.blocks) == blocks
    assert [text.count(digit) for digit in "0123456789"] == [2000 * unit.count(digit) for digit in "0123456789"]
    assert [warning.reason for warning in result.report.warnings] == ["no_page"]


@pytest.mark.parametrize(("unit", "outside"), [("DTQGVN 2 ", 2), ("**THUỐC MỚI**\n\n", 2002)])
def test_two_thousand_heads_without_text_give_no_block(unit: str, outside: int) -> None:
    result = import_markdown("# **THUỐC THỬ**\n\n## Liều lượng và cách dùng\n\n" + unit * 2000, "x", "e")
    assert result.blocks == ()
    assert len(result.outside) == outside
    assert [warning.reason for warning in result.report.warnings] == ["empty_section"]
