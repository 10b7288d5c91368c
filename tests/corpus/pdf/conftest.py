"""Books made of the demo corpus, and what the reader made of them; made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.pdf.import_pdf import PdfImport, import_pdf
from tests.conftest import ROOT
from tests.corpus.pdf_maker import MadeBook, make_book

EDITION = "Bản thử"


@pytest.fixture(scope="session")
def demo() -> Corpus:
    """The demo corpus."""
    return load_corpus(ROOT / "data" / "corpus" / "demo.jsonl")


@pytest.fixture(scope="session")
def damaged(demo: Corpus, tmp_path_factory: pytest.TempPathFactory) -> MadeBook:
    """The demo corpus as a book with every damage of spec 07."""
    return make_book(tmp_path_factory.mktemp("damaged") / "book.pdf", demo)


@pytest.fixture(scope="session")
def damaged_read(damaged: MadeBook) -> PdfImport:
    """What was read of it."""
    return import_pdf(damaged.path, EDITION, damaged.path.with_name("corpus.jsonl"))


@pytest.fixture(scope="session")
def long_book(demo: Corpus, tmp_path_factory: pytest.TempPathFactory) -> MadeBook:
    """Seventy pages of monographs as long as a formulary's, in justified type."""
    return make_book(tmp_path_factory.mktemp("long") / "book.pdf", demo, first_page=901, pages=70, drugs_in_one=3, justified=True)


@pytest.fixture(scope="session")
def long_read(long_book: MadeBook) -> PdfImport:
    """What was read of it."""
    return import_pdf(long_book.path, EDITION, long_book.path.with_name("corpus.jsonl"))


@pytest.fixture
def old_corpus(tmp_path: Path, demo: Corpus) -> Path:
    """A corpus file that stands before an import."""
    from duocthu_core.corpus.jsonl import save_corpus

    path = tmp_path / "corpus.jsonl"
    save_corpus(demo, path)
    return path
