"""Dược thư: the book as the pipeline sees it (spec 06, page 8), without a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services, job_work
from duocthu_core.corpus.import_report import REASONS, FileReport, ImportReport, QuarantinedBlock, RejectedText
from duocthu_core.corpus.model import Block, Repair
from duocthu_core.corpus.shelf import CorpusShelf
from pages.components.book_blocks import book_blocks
from pages.components.corpus_parts.block_details import block_parts
from pages.components.corpus_parts.report_parts import report_counts, report_parts
from pages.frame import access
from pages.frame.book_address import BookAddress
from tests.app.conftest import Opening

PAGE = "corpus.py"


def texts(at: AppTest) -> list[str]:
    return [text.value for text in at.text]


def locked_block(services: Services) -> Block:
    return next(block for block in services.corpus.blocks if block.quarantined)


# --- the page ------------------------------------------------------------------------------------------------------------------


def test_the_page_says_that_the_book_is_a_demonstration(open_page: Opening, services: Services) -> None:
    at = open_page(PAGE)
    assert not at.exception
    assert at.warning[0].value.replace("\\", "") == services.corpus.notice


def test_without_an_address_it_lists_the_drugs(open_page: Opening, services: Services) -> None:
    blocks = f"{len(services.corpus.blocks):,}".replace(",", ".")
    assert f"{len(services.corpus.monographs)} thuốc, {blocks} khối, theo thứ tự của sách" in texts(open_page(PAGE))


def test_a_section_has_an_address_of_its_own(open_page: Opening) -> None:
    at = open_page(PAGE, drug="paracetamol", section="chong_chi_dinh")
    assert [heading.value for heading in at.subheader] == ["Paracetamol", "Chống chỉ định"]


def test_a_block_says_its_drug_and_section(open_page: Opening) -> None:
    at = open_page(PAGE, block="paracetamol/chong_chi_dinh/1")
    headings = [heading.value for heading in at.subheader]
    assert headings[:2] == ["Paracetamol", "Chống chỉ định · khối 1"]
    assert at.button(key="before").disabled
    assert not at.button(key="after").disabled


@pytest.mark.parametrize("query", [{"block": "paracetamol/chi_dinh/999"}, {"drug": "<script>alert(1)</script>"}, {"block": "x" * 5000}])
def test_an_unknown_place_says_so_and_shows_the_list(open_page: Opening, query: dict[str, str]) -> None:
    at = open_page(PAGE, **query)
    assert not at.exception
    assert any("không có" in warning.value for warning in at.warning)
    assert any("theo thứ tự của sách" in text for text in texts(at))


def test_the_turns_that_cite_a_block_are_links(open_page: Opening, services: Services) -> None:
    cited = next(h for h in services.traces.recent() if h.outcome == "answered")
    trace = services.traces.load(cited.trace_id)
    assert trace is not None
    block_id = trace.answer.blocks[0].claims[0].citations[0].block_id
    assert services.corpus.block(block_id) is not None, block_id
    at = open_page(PAGE, block=block_id)
    assert "Chưa có lượt nào dẫn khối này." not in texts(at)


def test_a_search_in_the_address_is_in_the_box(open_page: Opening) -> None:
    at = open_page(PAGE, q="Augmentin")
    assert at.text_input(key="book_query").value == "Augmentin"
    assert [heading.value for heading in at.subheader] == ["Thuốc"]


def test_a_search_that_finds_nothing_says_what_to_do(open_page: Opening) -> None:
    at = open_page(PAGE, q="qqqqqq zzzzzz")
    assert "Không tìm thấy thuốc hay khối nào. Hãy thử tên khác hoặc ít chữ hơn." in texts(at)


def test_a_known_drug_without_a_monograph_is_said_to_be_missing(open_page: Opening) -> None:
    assert "Abacavir" in open_page(PAGE, q="Abacavir").info[0].value


def test_typing_a_search_changes_the_address(open_page: Opening) -> None:
    at = open_page(PAGE)
    at.text_input(key="book_query").set_value("ho khan").run()
    assert at.query_params["q"] in ("ho khan", ["ho khan"])
    assert [heading.value for heading in at.subheader] == ["Khối khớp câu chữ"]


# --- what is shown of a block ------------------------------------------------------------------------------------------------------


def test_the_text_of_a_quarantined_block_is_not_drawn(services: Services) -> None:
    block = locked_block(services)
    row = book_blocks._row(block)
    assert row["text"] == ""
    assert row["locked"].startswith("Không hiện chữ của khối này: xem sách ")
    drawn = str([row, *(part.data() for part in block_parts(block, services.corpus, services.ruleset))])
    assert block.text[:40] not in drawn


def test_a_block_shows_its_repairs_and_damage(services: Services) -> None:
    block = services.corpus.blocks[0].model_copy(
        update={"repairs": (Repair(kind="page_header", removed="1120 DTQGVN 2\n", page=1120),), "damage_notes": ("thiếu dòng cuối",)}
    )
    drawn = str([part.data() for part in block_parts(block, services.corpus, services.ruleset)])
    assert "1120␣DTQGVN␣2↵" in drawn
    assert "tiêu đề trang" in drawn
    assert "thiếu dòng cuối" in drawn
    assert block.content_hash in drawn
    assert block.url(services.corpus.edition) in drawn


def test_every_reason_of_quarantine_in_the_book_has_a_word(services: Services) -> None:
    reasons = {block.quarantine_reason for block in services.corpus.blocks if block.quarantined}
    assert reasons
    assert all(book_blocks.quarantine_words(reason) != reason for reason in reasons)


# --- the address -------------------------------------------------------------------------------------------------------------------


def test_an_address_is_read_as_it_was_written() -> None:
    address = BookAddress(q="ho khan", block="paracetamol/chi_dinh/1", view="import", book="0123", page=3)
    assert BookAddress.from_query(address.to_query()) == address


@pytest.mark.parametrize("query", [{"page": "-1"}, {"page": "x"}, {"page": "²"}, {"view": "delete"}, {"q": "   "}])
def test_a_part_that_makes_no_sense_is_missing(query: dict[str, str]) -> None:
    assert BookAddress.from_query(query) == BookAddress()


# --- importing ---------------------------------------------------------------------------------------------------------------------

BOOK = "12 **Thuocthu** DTQGVN 2\n\n# THUOCTHU\n\n## Chỉ định\n\nDùng thử.\n\n## Liều lượng và cách dùng\n\nNgười lớn: 250 mg/lần.\n"


@pytest.fixture
def shelf(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CorpusShelf:
    object.__setattr__(services, "settings", services.settings.model_copy(update={"data_dir": tmp_path}))
    monkeypatch.setattr("pages.frame.services.services", lambda: services)
    return CorpusShelf(tmp_path)


def test_importing_asks_for_files_and_an_edition_first(open_page: Opening, shelf: CorpusShelf) -> None:
    at = open_page(PAGE, view="import")
    assert not at.exception
    at.button[-1].click().run()
    assert "Hãy chọn ít nhất một tệp và ghi tên ấn bản." in [warning.value for warning in at.warning]
    assert shelf.imported() == []


def test_an_imported_book_waits_for_a_decision(open_page: Opening, shelf: CorpusShelf) -> None:
    report = shelf.import_uploads([shelf.keep_upload("thu.md", BOOK.encode())], "Bản thử")
    assert report.written
    at = open_page(PAGE, view="import", book=shelf.imported()[0].key)
    assert not at.exception
    assert "Bản thử" in [heading.value for heading in at.subheader]
    assert any("Bộ này chưa được dùng" in info.value for info in at.info)


def test_a_reviewer_may_browse_and_not_import(open_page: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_current_user", lambda: User(name="duoc.si@benhvien.vn", role="reviewer"))
    at = open_page(PAGE)
    assert "Nhập sách" not in [button.label for button in at.button]
    refused = open_page(PAGE, view="import")
    assert refused.error
    assert "Nhập một bộ mới" not in [heading.value for heading in refused.subheader]


def import_job(services: Services, shelf: CorpusShelf, name: str, content: str, by: str = "dong.nghiep@benhvien.vn") -> str:
    """An import that another session sent; it waits for its turn."""
    kept = shelf.keep_upload(name, content.encode())
    arguments = {"edition": "Bản thử", "uploads": [f"{kept.parent.name}/{kept.name}"]}
    held = replace(services, job_executor=None)
    return held.jobs.submit("corpus.import", arguments, by=by)


def carried_out(services: Services, job_id: str) -> None:
    """The job, done as a worker does it."""
    assert job_work(lambda: services).carry_out(job_id, 0) is None


def test_an_import_of_anybody_is_watched_and_stopped(open_page: Opening, services: Services, shelf: CorpusShelf) -> None:
    job_id = import_job(services, shelf, "thu.md", BOOK)
    at = open_page(PAGE, view="import", job=job_id)
    assert any("người gửi: dong.nghiep@benhvien.vn" in text.value for text in at.text)
    at.button(key="stop_import").click().run()
    assert services.jobs.status(job_id).status == "cancelled"
    assert any("Đã dừng nhập" in info.value for info in at.info)
    assert shelf.imported() == []
    at.button(key="import_go_on").click().run()
    assert services.job_executor is not None
    assert services.job_executor.wait(30)
    assert [book.edition for book in shelf.imported()] == ["Bản thử"]


def test_an_import_that_has_ended_opens_its_book(open_page: Opening, services: Services, shelf: CorpusShelf) -> None:
    job_id = import_job(services, shelf, "thu.md", BOOK)
    carried_out(services, job_id)
    at = open_page(PAGE, view="import", job=job_id)
    assert at.query_params["book"] == shelf.imported()[0].key
    assert any("Bộ này chưa được dùng" in info.value for info in at.info)


def test_an_import_that_brought_nothing_says_why(open_page: Opening, services: Services, shelf: CorpusShelf) -> None:
    job_id = import_job(services, shelf, "thu.md", "Không có chuyên luận nào.")
    carried_out(services, job_id)
    at = open_page(PAGE, view="import", job=job_id)
    assert not at.exception
    assert services.jobs.status(job_id).status == "failed"
    assert any("Không nhập được: sửa các chỗ dưới đây" in error.value for error in at.error)


def test_imports_at_work_are_listed_for_whoever_comes(open_page: Opening, services: Services, shelf: CorpusShelf) -> None:
    import_job(services, shelf, "thu.md", BOOK)
    assert "Các lần nhập đang chạy" in [heading.value for heading in open_page(PAGE, view="import").subheader]


def test_the_report_tells_where_and_why(services: Services) -> None:
    del services
    report = ImportReport(
        edition="Bản thử",
        corpus_path="x.jsonl",
        files=(
            FileReport(
                path="a.md",
                status="accepted",
                drugs={"a": "A"},
                accepted=3,
                quarantined=(QuarantinedBlock(block_id="a/chi_dinh/1", page=7, reason="lost_sign", text="BÍ MẬT"),),
                rejected=(RejectedText(line=41, page=None, reason="outside_sections", text="chữ lạ"),),
            ),
            FileReport(path="b.pdf", status="rejected", error="không có lớp chữ"),
        ),
    )
    drawn = str([part.data() for part in report_parts(report)])
    assert all(text in drawn for text in ("mất ký hiệu", "tr. 7", "dòng 41", "không thuộc mục nào", "chữ lạ", "không có lớp chữ"))
    assert "BÍ MẬT" not in drawn
    assert report_counts(report) == {"drugs": 1, "accepted": 3, "repaired": 0, "quarantined": 1, "rejected": 1}


@pytest.mark.parametrize("code", sorted(REASONS))
def test_a_reason_is_told_in_words(code: str) -> None:
    text = RejectedText(line=1, page=None, reason=code, text="")
    report = ImportReport(edition="", corpus_path="", files=(FileReport(path="a", status="accepted", rejected=(text,)),))
    assert f"'words': '{code}'" not in str([part.data() for part in report_parts(report)])
