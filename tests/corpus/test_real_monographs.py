"""Three monographs as a PDF-to-Markdown tool left them (read from the shared corpus, never committed)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from duocthu_core.corpus.checking import check_corpus
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_markdown import MarkdownImport, import_markdown
from duocthu_core.corpus.model import SECTION_KEYS, Block
from duocthu_core.text.numbers import numeric_tokens

pytestmark = pytest.mark.corpus

PAGES = {"paracetamol": (1118, 1121), "amoxicilin": (188, 191), "cefazolin": (343, 346)}
NOT_IN_SOURCE = {
    "paracetamol": {"tuong_ky"},
    "amoxicilin": set(),
    "cefazolin": {"tuong_ky", "qua_lieu_xu_tri", "thong_tin_qui_che", "ten_thuong_mai", "do_on_dinh_bao_quan"},
}
"""Sections that the sample does not hold: cefazolin's is cut off behind the heading of its storage section."""
_HEADER = re.compile(r"(?:[0-9]{2,4} (?:\*\*)?[^*0-9\n]+(?:\*\*)? )?DTQGVN 2(?: DTQGVN 2)?(?: (?:\*\*)?[^*0-9\n]+(?:\*\*)? [0-9]{2,4})?")


@pytest.fixture(scope="module")
def sources(shared_corpus: Path) -> dict[str, str]:
    """The three sources by drug."""
    return {drug: (shared_corpus / f"raw_{drug}.md").read_text(encoding="utf-8") for drug in PAGES}


@pytest.fixture(scope="module")
def results(sources: dict[str, str]) -> dict[str, MarkdownImport]:
    """What the importer made of them."""
    return {drug: import_markdown(text, f"{drug}.md", "Bản 2018") for drug, text in sources.items()}


def _blocks(result: MarkdownImport, key: str) -> list[Block]:
    return [block for block in result.blocks if block.section_key == key]


def _labels(result: MarkdownImport, key: str) -> list[str]:
    return list(dict.fromkeys(block.label or "" for block in _blocks(result, key)))


@pytest.mark.parametrize("drug", PAGES)
def test_every_section_is_found(results: dict[str, MarkdownImport], drug: str) -> None:
    assert {block.section_key for block in results[drug].blocks} == set(SECTION_KEYS) - NOT_IN_SOURCE[drug]


@pytest.mark.parametrize("drug", PAGES)
def test_pages_run_from_the_first_to_the_last_printed_page(results: dict[str, MarkdownImport], drug: str) -> None:
    first, last = PAGES[drug]
    starts = [block.page_start for block in results[drug].blocks]
    assert (starts[0], results[drug].blocks[-1].page_end) == (first, last)
    assert starts == sorted(page for page in starts if page is not None)
    assert {page.page for page in results[drug].report.pages} == set(range(first, last + 1))


@pytest.mark.parametrize(
    ("drug", "key", "number", "pages"),
    [
        ("paracetamol", "duoc_dong_hoc", 1, (1118, 1119)),
        ("paracetamol", "chong_chi_dinh", 1, (1119, 1119)),
        ("paracetamol", "xu_tri_adr", 1, (1119, 1119)),
        ("paracetamol", "xu_tri_adr", 2, (1120, 1120)),
        ("paracetamol", "lieu_luong_cach_dung", 5, (1120, 1120)),
        ("paracetamol", "tuong_tac_thuoc", 5, (1120, 1120)),
        ("paracetamol", "tuong_tac_thuoc", 6, (1121, 1121)),
        ("paracetamol", "qua_lieu_xu_tri", 1, (1121, 1121)),
        ("amoxicilin", "duoc_ly", 2, (188, 189)),
        ("amoxicilin", "chi_dinh", 1, (189, 189)),
        ("amoxicilin", "chong_chi_dinh", 1, (190, 190)),
        ("amoxicilin", "lieu_luong_cach_dung", 9, (190, 190)),
        ("amoxicilin", "lieu_luong_cach_dung", 10, (191, 191)),
        ("cefazolin", "duoc_dong_hoc", 3, (343, 344)),
        ("cefazolin", "xu_tri_adr", 1, (345, 345)),
        ("cefazolin", "lieu_luong_cach_dung", 20, (345, 346)),
    ],
)
def test_a_block_stands_on_its_printed_page(
    results: dict[str, MarkdownImport], drug: str, key: str, number: int, pages: tuple[int, int]
) -> None:
    block = _blocks(results[drug], key)[number - 1]
    assert (block.page_start, block.page_end) == pages


@pytest.mark.parametrize("drug", PAGES)
def test_no_running_head_and_no_markup_is_left(results: dict[str, MarkdownImport], drug: str) -> None:
    result = results[drug]
    assert check_corpus(Corpus.of(result.monographs, result.blocks, "Bản 2018")) == []
    assert not [block.block_id for block in result.blocks if "DTQGVN" in block.shown_text]


@pytest.mark.parametrize("drug", PAGES)
def test_numbers_are_conserved_to_the_token(sources: dict[str, str], results: dict[str, MarkdownImport], drug: str) -> None:
    result = results[drug]
    source = Counter(token.text for line in _plain(sources[drug]).split("\n") for token in numeric_tokens(line))
    kept = Counter(token.text for text in (*(b.text for b in result.blocks), *result.outside) for token in numeric_tokens(text))
    assert kept == source


def _plain(raw: str) -> str:
    """The source without heads and markup, by means other than the importer's."""
    text = _HEADER.sub("\n", unicodedata.normalize("NFC", raw)).replace("<br>", " ").replace("$\\leq 4$", "≤ 4").replace("\\*", "*")
    text = re.sub(r"(?m)^[|\s:-]+$", "", re.sub(r"</?su[bp]>", "", text))
    return re.sub(r"(?<!\s)\*+|\*+(?!\s)", "", text)


@pytest.mark.parametrize("drug", PAGES)
def test_no_digit_differs(sources: dict[str, str], results: dict[str, MarkdownImport], drug: str) -> None:
    assert not [warning for warning in results[drug].report.warnings if warning.reason == "numbers_changed"]
    heads = "".join(match.group() for match in _HEADER.finditer(sources[drug]))
    kept = "".join((*(block.text for block in results[drug].blocks), *results[drug].outside, heads))
    assert Counter(re.findall(r"\d", kept)) == Counter(re.findall(r"\d", sources[drug]))


def test_names_and_brands(results: dict[str, MarkdownImport]) -> None:
    [paracetamol] = results["paracetamol"].monographs
    assert (paracetamol.drug_id, paracetamol.name, paracetamol.synonyms) == ("paracetamol", "Paracetamol", ("Acetaminophen",))
    assert (paracetamol.atc, paracetamol.drug_class) == (("N02BE01",), "Giảm đau; hạ sốt")
    assert (len(paracetamol.brands), paracetamol.brands[1], paracetamol.brands[-1]) == (187, "Ace kid 80", "Zoragan")
    [amoxicilin] = results["amoxicilin"].monographs
    assert (amoxicilin.inn, amoxicilin.atc, amoxicilin.drug_class) == (
        "Amoxicillin",
        ("J01CA04",),
        "Kháng sinh nhóm beta-lactam, aminopenicilin",
    )


def test_the_next_monograph_is_a_remainder(results: dict[str, MarkdownImport]) -> None:
    assert [(text.line, text.text) for text in results["paracetamol"].report.rejected] == [(215, "PARAFIN LỎNG")]
    assert [(text.line, text.text) for text in results["amoxicilin"].report.rejected] == [(299, "AMOXICILIN VÀ KALI CLAVULANAT")]


def test_labels_of_paracetamols_doses(results: dict[str, MarkdownImport]) -> None:
    assert _labels(results["paracetamol"], "lieu_luong_cach_dung") == [
        "",
        "Người lớn:",
        "Trẻ em:\nĐau, sốt:\nUống:",
        "Trẻ em:\nĐau, sốt:\nĐặt trực tràng:",
        "Trẻ em:\nĐau, sốt:\nTruyền tĩnh mạch trong 15 phút:",
        "Trẻ em:\nĐau sau phẫu thuật:\nUống:",
        "Trẻ em:\nĐau sau phẫu thuật:\nĐường trực tràng:",
        "Trẻ em:",
    ]


def test_each_band_of_paracetamol_is_a_block(results: dict[str, MarkdownImport]) -> None:
    oral = [block.text for block in _blocks(results["paracetamol"], "lieu_luong_cach_dung") if block.label == "Trẻ em:\nĐau, sốt:\nUống:"]
    assert len(oral) == 13
    assert "Trẻ em 6 - 8 tuổi: 240 - 250 mg" in oral
    assert oral[-1].startswith("Các liều cho trẻ từ 3 tháng - 18 tuổi")


def test_the_adult_limit_stays_with_the_weights_it_limits(results: dict[str, MarkdownImport]) -> None:
    [infusion] = [
        b for b in _blocks(results["paracetamol"], "lieu_luong_cach_dung") if b.text.startswith("Truyền tĩnh mạch trong 15 phút: ")
    ]
    assert infusion.label == "Người lớn:"
    assert {"50", "15", "3"} <= {token.text for token in numeric_tokens(infusion.text)}


def test_vaccination_fever_is_not_under_pain_after_surgery(results: dict[str, MarkdownImport]) -> None:
    [block] = [b for b in _blocks(results["paracetamol"], "lieu_luong_cach_dung") if b.text.startswith("Sốt sau khi tiêm chủng")]
    assert block.label == "Trẻ em:"


@pytest.mark.parametrize("drug", ["paracetamol", "amoxicilin"])
def test_tiers_govern_the_organs(results: dict[str, MarkdownImport], drug: str) -> None:
    labels = [label for label in _labels(results[drug], "tac_dung_khong_mong_muon") if label]
    assert all("ADR" in label and label.endswith(":") for label in labels)
    assert len(labels) == {"paracetamol": 2, "amoxicilin": 3}[drug]


def test_labels_of_amoxicilins_doses(results: dict[str, MarkdownImport]) -> None:
    normal = "Liều uống cho người có chức năng thận bình thường:"
    injected = "Liều tiêm cho người có chức năng thận bình thường:"
    found = _labels(results["amoxicilin"], "lieu_luong_cach_dung")
    assert f"{normal}\nNhiễm vi khuẩn nhạy cảm ở tai, mũi, họng, da, đường tiết niệu:\nTrẻ em:" in found
    assert f"{normal}\nBệnh Lyme:\nViêm khớp, không kèm theo rối loạn thần kinh do bệnh Lyme:" in found
    assert f"{normal}\nDự phòng hậu phơi nhiễm sau khi tiếp xúc với bào tử bệnh than (chiến tranh sinh học):" in found
    assert f"{injected}\nTiêm tĩnh mạch:" in found
    renal = [
        block
        for block in _blocks(results["amoxicilin"], "lieu_luong_cach_dung")
        if (block.label or "").startswith("Đối với người suy thận")
    ]
    assert len(renal) == 4
    assert not any("bình thường" in (block.label or "") for block in renal)


def test_the_treatment_time_of_injected_lyme_doses_stays_with_both_groups(results: dict[str, MarkdownImport]) -> None:
    [block] = [b for b in _blocks(results["amoxicilin"], "lieu_luong_cach_dung") if "15 - 21" in b.text]
    assert [line.split(":")[0] for line in block.text.split("\n")] == ["Người lớn", "Thời gian điều trị"]


def test_cefazolins_tables_are_quarantined_with_their_page_and_label(results: dict[str, MarkdownImport]) -> None:
    tables = [block for block in results["cefazolin"].blocks if block.quarantined]
    assert [(b.kind, b.quarantine_reason, b.page_start, b.label) for b in tables] == [
        ("table", "table", 345, None),
        ("table", "table", 345, "Liều đối với người suy thận:"),
        ("table", "table", 345, "Liều đối với người suy thận:"),
    ]
    assert tables[1].text.startswith("Bảng 1: Liều cho người lớn suy thận\n| ")
    assert "\ufffd" in tables[1].text
    assert tables[0].text.split("\n")[-1].startswith("* Lọ 1 g")


def test_cefazolins_regimens_keep_their_group(results: dict[str, MarkdownImport]) -> None:
    labels = _labels(results["cefazolin"], "lieu_luong_cach_dung")
    assert "Một số phác đồ điều trị:\nNgười lớn:" in labels
    assert "Một số phác đồ điều trị:\nTrẻ em:" in labels
    assert not any("Liều trẻ em" in label and "suy thận" in label for label in labels)


def test_only_tables_are_quarantined(results: dict[str, MarkdownImport]) -> None:
    assert {block.kind for result in results.values() for block in result.blocks if block.quarantined} == {"table"}


def test_sections_of_other_drugs_read_as_their_damage_notes_say(shared_corpus: Path) -> None:
    with (shared_corpus / "formulary_sections.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    by_drug: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_drug.setdefault(row["drug"], []).append(row)
    quarantined: list[tuple[str, str | None]] = []
    for drug, sections in by_drug.items():
        source = f"# **{drug}**\n\n" + "\n\n".join(
            f"## {re.split(r' > | [(]đuôi', s['section_heading'])[0]}\n\n{s['text']}" for s in sections
        )
        result = import_markdown(source, drug, "Bản 2018")
        assert list(result.report.drugs), drug
        assert not [w for w in result.report.warnings if w.reason in ("numbers_changed", "empty_section")], drug
        assert not [block.block_id for block in result.blocks if "DTQGVN" in block.text]
        quarantined += ((block.drug_id, block.quarantine_reason) for block in result.blocks if block.quarantined)
    assert quarantined == [("perindopril", "formula"), ("perindopril", "table")]
