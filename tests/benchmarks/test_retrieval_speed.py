"""Speed of retrieval at the size of the whole book: 15,000 blocks (run with ``--benchmark-enable``).

Measured is the processor's time of this one thread, and the limits are asserted on the median: neither a busy machine nor one
disturbed round makes a figure.
"""

from __future__ import annotations

import itertools
import random
import time
from functools import lru_cache
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import SECTION_KEYS, Block, Monograph
from duocthu_core.retrieval.retrieving import retrieve
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.retrieval.wording import Wording
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import Question, ResolvedQuestion, Stated
from tests.retrieval.corpora import DOSAGE, EDITION

BLOCKS = 15_000
BLOCKS_A_DRUG = 60
_ONSETS = ("b", "c", "ch", "d", "đ", "g", "gi", "h", "kh", "l", "m", "n", "ng", "nh", "p", "ph", "qu", "r", "s", "t", "th", "tr", "v", "x")
_RHYMES = ("an", "ăn", "âm", "ao", "ẹn", "ết", "iên", "iều", "inh", "oại", "óc", "ôn", "ơi", "uống", "uyết", "ý", "ạng", "ấp", "ệt", "ủa")
_SYLLABLES = [onset + rhyme for onset in _ONSETS for rhyme in _RHYMES]
_LABELS = ["Người lớn:\nUống:", "Trẻ em:\nUống:", "Trẻ em 6 - 12 tuổi:", "Suy thận:", "Người lớn:\nTiêm tĩnh mạch:", None, None]
_OPENINGS = ["", "6 - 8 tuổi: 250 mg; 8 - 10 tuổi: 375 mg. ", "Clcr 10 - 30 ml/phút: 500 mg cách 12 giờ. ", "Cân nặng < 10 kg: 10 mg/kg. "]


@lru_cache(maxsize=1)
def whole_book() -> Corpus:
    """15,000 blocks of about 350 characters over 250 drugs, words drawn as in a language: few often, many rarely, and of
    what stands together much stands together again (phrases of the book)."""
    draw = random.Random(20181)
    weights = [1 / (rank + 3) for rank in range(len(_SYLLABLES))]
    phrases = [" ".join(draw.choices(_SYLLABLES, weights, k=5)) for _ in range(4_000)]
    others = [key for key in SECTION_KEYS if key != DOSAGE]
    drugs: list[Monograph] = []
    blocks: list[Block] = []
    for number in range(BLOCKS // BLOCKS_A_DRUG):
        drug_id = f"thuoc-{number}"
        drugs.append(Monograph(drug_id=drug_id, name=f"Thuoc {number}", edition=EDITION))
        for index in range(BLOCKS_A_DRUG):
            section = DOSAGE if index < 24 else others[index % len(others)]
            words = draw.choices(_SYLLABLES, weights, k=30) + draw.choices(phrases, k=9)
            draw.shuffle(words)
            text = draw.choice(_OPENINGS) + " ".join(words) + "."
            blocks.append(
                Block(
                    block_id=f"{drug_id}/{section}/{index}",
                    drug_id=drug_id,
                    section_key=section,
                    heading="Mục",
                    text=text,
                    label=draw.choice(_LABELS),
                    page_start=number,
                )
            )
    return Corpus.of(drugs, blocks, EDITION)


@lru_cache(maxsize=1)
def index() -> SearchIndex:
    """Its index, built once."""
    return SearchIndex(whole_book())


def _median(benchmark: Any) -> float:
    """Seconds; 0 where benchmarks are switched off and the code only ran once."""
    return 0.0 if benchmark.disabled else float(benchmark.stats.stats.median)


@pytest.mark.benchmark(group="retrieval", timer=time.process_time)
def test_indexing_the_book_takes_less_than_two_seconds(benchmark: BenchmarkFixture) -> None:
    corpus = whole_book()
    benchmark.pedantic(SearchIndex, args=(corpus,), rounds=3, warmup_rounds=1)
    assert _median(benchmark) < 2.0


@pytest.mark.benchmark(group="retrieval", timer=time.process_time)
def test_a_search_takes_less_than_five_milliseconds(benchmark: BenchmarkFixture) -> None:
    words = whole_book().blocks[777].text.split()[8:13]
    found = benchmark(index().search, Wording((" ".join(words),), with_marks=True), 20)
    assert found
    assert _median(benchmark) < 0.005


@pytest.mark.benchmark(group="retrieval", timer=time.process_time)
def test_a_search_for_a_condition_takes_less_than_five_milliseconds(benchmark: BenchmarkFixture) -> None:
    ruleset, corpus = shipped_ruleset(), whole_book()
    words = " ".join(next(block for block in corpus.blocks if block.section_key == "chi_dinh").text.split()[10:13])
    question = Question(text=f"thuốc trị {words}", intent="condition_list", condition=words)
    found = benchmark(retrieve, question, ResolvedQuestion(intent="condition_list"), corpus, index(), ruleset)
    assert found.candidates
    assert _median(benchmark) < 0.005


def _dose_question(drug: int, years: int) -> tuple[Question, ResolvedQuestion]:
    """The dose of one drug for a child of so many years."""
    drug_id, words = f"thuoc-{drug}", f"{years} tuổi"
    age = Stated(kind="age", text=words, low=12 * years, high=12 * years, span=Span(0, len(words)))
    question = Question(text=words, drug_ids=(drug_id,), section_keys=(DOSAGE,), population="tre_em", stated=(age,), asks_amounts=True)
    return question, ResolvedQuestion(drug_ids=(drug_id,), drug_id=drug_id, section_key=DOSAGE, population="tre_em")


@pytest.mark.benchmark(group="retrieval", timer=time.process_time)
def test_a_look_up_takes_less_than_a_third_of_a_millisecond(benchmark: BenchmarkFixture) -> None:
    ruleset, corpus = shipped_ruleset(), whole_book()
    found = benchmark(retrieve, *_dose_question(7, 8), corpus, index(), ruleset)
    assert len(found.candidates) == 24
    assert _median(benchmark) < 0.0003


@pytest.mark.benchmark(group="retrieval", timer=time.process_time)
def test_a_look_up_of_one_drug_after_the_other_takes_less_than_a_millisecond(benchmark: BenchmarkFixture) -> None:
    """No two of them are the same question: other drugs, other ages, and nothing kept of an answer helps."""
    ruleset, corpus = shipped_ruleset(), whole_book()
    drugs, ages = (range(BLOCKS // BLOCKS_A_DRUG), range(1, 17)) if benchmark.enabled else (range(2), range(1, 3))
    for drug in drugs:  # what a label says is read once, whoever asks
        retrieve(*_dose_question(drug, 8), corpus, index(), ruleset)
    questions = itertools.cycle([_dose_question(drug, years) for years in ages for drug in drugs])
    found = benchmark(lambda: retrieve(*next(questions), corpus, index(), ruleset))
    assert len(found.candidates) == 24
    assert _median(benchmark) < 0.001
