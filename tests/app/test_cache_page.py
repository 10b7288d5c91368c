"""Bộ nhớ đệm: kept verdicts by what they are worth, one entry whole, look-up by hand, savings, pruning (spec 06, page 5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from duocthu_core.audit.log import InMemoryAuditLog
from duocthu_core.bootstrap import Services
from duocthu_core.cache.model import CacheEntry, CacheQuery, VerdictToKeep
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from pages.components.cache_counts import counted_groups
from pages.components.cache_entry import claim_shown, entry_parts
from pages.components.cache_lookup import looked_up_parts
from pages.components.facts.parts import Note, Pill, Raw, Table
from pages.frame import access
from pages.frame import services as page_services
from pages.frame.access import User
from pages.frame.cache_address import CacheAddress
from tests.app.conftest import Opening

CLAIM = "Suy gan nặng."
DOSE_CLAIM = "Người lớn, uống: 0,5 - 1 g/lần."


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(services: Services, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Services:
    """Services over an empty cache of their own."""
    fresh = replace(services, verification_cache=VerificationCache(InMemoryCacheStore(), clock=clock), audit=InMemoryAuditLog())
    monkeypatch.setattr(page_services, "services", lambda: fresh)
    return fresh


def keep(app: Services, claim: str = CLAIM, **changes: Any) -> CacheEntry:
    """Keeps a verdict that the judge of now would find fresh, over a block of the book; ``changes`` make it another one."""
    judge = app.current_judge()
    block = app.corpus.blocks_of("paracetamol", "chong_chi_dinh")[0]
    fields: dict[str, Any] = {
        "claim": claim,
        "drug_id": "paracetamol",
        "section_key": "chong_chi_dinh",
        "evidence_urls": (block.url(app.corpus.edition),),
        "tier": "free",
        "model": judge.model,
        "prompt_hash": judge.prompt_hash,
        "framework_version": judge.framework_version,
        "verification_raw": {"stance": "SUPPORTS", "confidence": 91},
        "verification_processed": {"status": "supported", "why": "supported"},
    }
    return app.verification_cache.put(VerdictToKeep.model_validate(fields | changes))


def texts(at: Any) -> list[str]:
    return [text.value for text in at.text]


def table(parts: list[Any], position: int = 0) -> Table:
    return [part for part in parts if isinstance(part, Table)][position]


def differing(found: Table) -> list[str]:
    """The first cell of the rows whose last cell is not the mark of what is equal."""
    return [str(row[0]) for row in found.rows if isinstance(row[-1], Pill) and row[-1].icon != "check"]


def note(parts: list[Any]) -> str:
    return next(part.text for part in parts if isinstance(part, Note))


# Entries


def test_an_empty_cache_says_what_to_do_first(open_page: Opening, app: Services) -> None:
    at = open_page("cache.py")
    assert not at.exception
    assert any(text.startswith("Chưa giữ phán quyết nào. Hãy hỏi một câu") for text in texts(at))


def test_entries_are_counted_by_what_they_are_worth_by_tier_and_by_age(app: Services, clock: Clock) -> None:
    keep(app, "hết hạn")
    clock.now += timedelta(days=29)
    keep(app, "một tháng")
    clock.now += timedelta(days=2)
    for changes in ({}, {"tier": "premium"}, {"framework_version": "other"}, {"prompt_hash": "other"}, {"model": "other"}):
        keep(app, **{"claim": str(changes)} | changes)
    groups = counted_groups(app.verification_cache.stats(app.current_judge()), CacheAddress(), app)
    assert [(card.value, card.count) for card in groups[0].cards] == [
        ("fresh", 3),
        ("stale_framework", 1),
        ("stale_prompt", 2),
        ("miss", 1),
    ]
    assert [(card.value, card.count) for card in groups[1].cards] == [("free", 5), ("premium", 1)]
    assert [(card.value, card.count) for card in groups[2].cards] == [("day", 5), ("week", 1), ("month", 0), ("older", 0)]


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ({}, "3 bản ghi, mới ghi ở trên"),
        ({"staleness": "fresh"}, "2 bản ghi, mới ghi ở trên"),
        ({"staleness": "fresh", "tier": "premium"}, "1 bản ghi, mới ghi ở trên"),
        ({"age": "older"}, "Không có bản ghi nào khớp. Hãy bấm lại vào ô đang chọn để bỏ bớt điều kiện."),
        ({"staleness": "nonsense", "page": "-1", "age": "x"}, "3 bản ghi, mới ghi ở trên"),
        ({"page": "99"}, "3 bản ghi, mới ghi ở trên"),
    ],
)
def test_the_address_narrows_the_list(open_page: Opening, app: Services, address: dict[str, str], found: str) -> None:
    keep(app)
    keep(app, tier="premium")
    keep(app, "khác", prompt_hash="other")
    at = open_page("cache.py")
    for name, value in address.items():
        at.query_params[name] = value
    assert not at.run().exception
    assert found in texts(at)


def test_an_entry_has_an_address_of_its_own(open_page: Opening, app: Services) -> None:
    entry = keep(app)
    at = open_page("cache.py", entry=f"free.{entry.claim_hash}")
    assert [heading.value for heading in at.subheader] == ["Một bản ghi"]
    assert not at.warning
    at.button(key="cache_back").click().run()
    assert "1 bản ghi, mới ghi ở trên" in texts(at)
    assert "có thể nó đã được dọn" in open_page("cache.py", entry=f"premium.{entry.claim_hash}").warning[0].value


def test_an_entry_shows_raw_and_processed_and_which_hash_differs(app: Services) -> None:
    judge = app.current_judge()

    def parts(**changes: Any) -> list[Any]:
        return entry_parts(app.verification_cache.standing(keep(app, **changes), judge), app)

    fresh = parts()
    assert note(fresh) == "Lượt hỏi sau dùng ngay phán quyết này, không gọi máy chấm."
    assert differing(table(fresh)) == []
    assert ['"confidence": 91' in raw.text for raw in fresh if isinstance(raw, Raw)] == [False, True]
    stale = parts(framework_version="41c9aa")
    assert (note(stale), differing(table(stale))) == (
        "Ngưỡng đã đổi: lượt hỏi sau tính lại từ lời máy chấm, không gọi máy.",
        ["Bản ngưỡng"],
    )
    asked_again = parts(prompt_hash="0aa1bb", model="another/judge")
    assert (note(asked_again), differing(table(asked_again))) == (
        "Lời nhắc hoặc máy chấm đã đổi: lượt hỏi sau hỏi lại máy chấm.",
        ["Mã lời nhắc", "Máy chấm"],
    )


def test_a_fresh_verdict_over_a_block_that_changed_is_told_as_other_evidence(app: Services) -> None:
    block = app.corpus.blocks_of("paracetamol", "chong_chi_dinh")[0]
    url = f"duocthu://{app.corpus.edition}/{block.block_id}?h=sha256:{'0' * 64}"
    entry = keep(app, evidence_urls=(url, "duocthu://x/khong_co/muc/9?h=sha256:1", "https://example.org/a"))
    parts = entry_parts(app.verification_cache.standing(entry, app.current_judge()), app)
    assert note(parts) == "Còn mới, nhưng bằng chứng đã khác: lượt hỏi sau vẫn hỏi lại máy chấm."
    states = [row[-1].text for row in table(parts, 1).rows if isinstance(row[-1], Pill)]
    assert states == ["chữ đã đổi", "không còn trong sách", "nguồn ngoài"]
    assert "trùng 0 với sách hiện tại" in table(parts, 1).heading


def test_the_completeness_of_an_answer_is_shown_as_its_question(app: Services) -> None:
    claim = '{"question":"Liều paracetamol?","resolved":{},"claims":["a","b"]}'
    assert claim_shown(keep(app, claim, section_key="completeness")) == "Đầy đủ của cả câu trả lời (2 mệnh đề): Liều paracetamol?"
    assert claim_shown(keep(app, "not of ours", section_key="completeness")) == "not of ours"


# Look-up by hand


def query(app: Services, **changes: Any) -> CacheQuery:
    judge = app.current_judge()
    asked = {"claim": CLAIM, "drug_id": "paracetamol", "section_key": "chong_chi_dinh", "tier": "free"}
    with_judge = {"prompt_hash": judge.prompt_hash, "framework_version": judge.framework_version, "model": judge.model}
    return CacheQuery.model_validate(asked | with_judge | changes)


@pytest.mark.parametrize(
    ("changes", "marked"),
    [({"drug_id": "ibuprofen"}, "Paracetamol"), ({"section_key": "than_trong"}, "Chống chỉ định"), ({"tier": "premium"}, "thường")],
)
def test_the_same_words_under_another_key_are_shown_and_never_taken(app: Services, changes: dict[str, Any], marked: str) -> None:
    keep(app)
    parts = looked_up_parts(query(app, **changes), app)
    assert note(parts).startswith("Chưa giữ phán quyết nào cho đúng mệnh đề, thuốc, mục và bậc này.")
    (row,) = table(parts).rows
    assert [cell.text for cell in row[:4] if isinstance(cell, Pill)] == [marked]


def test_a_claim_is_looked_up_from_the_address(open_page: Opening, app: Services) -> None:
    keep(app)
    at = open_page("cache.py", part="lookup", claim=CLAIM, drug="paracetamol", section="chong_chi_dinh")
    assert not at.exception
    assert at.text_area(key="cache_claim").value == CLAIM
    assert at.multiselect(key="cache_drugs").value == ["paracetamol"]
    assert "cache_looked_up" in {element.key for element in at.get("bidi_component")}


def test_an_expired_verdict_is_told_as_expired(app: Services, clock: Clock) -> None:
    keep(app)
    clock.now += timedelta(days=31)
    assert note(looked_up_parts(query(app), app)) == "Đã hết hạn: không lượt hỏi nào thấy bản ghi này nữa."


# Savings


def test_savings_are_told_in_sums(open_page: Opening, app: Services) -> None:
    at = open_page("cache.py", part="savings", period="all")
    assert not at.exception
    told = {metric.label: metric.value for metric in at.metric}
    assert set(told) == {"Không phải hỏi máy", "Lần gọi đỡ được", "Token đỡ được", "Tiền đỡ được"}
    days = app.traces.usage_by_day()
    assert told["Token đỡ được"] == str(sum(day.tokens_saved for day in days))
    assert any(text.startswith(f"{sum(day.turns for day in days)} lượt: tra ") for text in texts(at))


def test_without_turns_the_savings_say_what_to_do(open_page: Opening, app: Services) -> None:
    assert any("Chưa có lượt nào trong khoảng này" in text for text in texts(open_page("cache.py", part="savings", period="7")))


# Pruning


def test_pruning_is_asked_twice_and_written_down(open_page: Opening, app: Services, clock: Clock) -> None:
    keep(app, "hết hạn")
    clock.now += timedelta(days=31)
    keep(app)
    at = open_page("cache.py", part="prune")
    at.button(key="cache_prune").click().run()
    assert at.warning[0].value == "Xóa hẳn 1 bản ghi đã hết hạn? Không lấy lại được."
    assert app.verification_cache.stats(app.current_judge()).expired == 1
    at.button(key="cache_prune_yes").click().run()
    assert at.success[0].value == "Đã dọn 1 bản ghi."
    assert app.verification_cache.stats(app.current_judge()).expired == 0
    assert len(app.verification_cache.page()) == 1
    (line,) = app.audit.recent()
    assert (line.actor, line.action, line.detail) == ("local", "cache.prune", {"pruned": 1})


def test_pruning_can_be_left(open_page: Opening, app: Services, clock: Clock) -> None:
    keep(app)
    clock.now += timedelta(days=31)
    at = open_page("cache.py", part="prune")
    at.button(key="cache_prune").click().run()
    at.button(key="cache_prune_no").click().run()
    assert [button.key for button in at.button if button.key and "prune" in button.key] == ["cache_prune"]
    assert app.audit.count() == 0


@pytest.mark.parametrize("role", ["viewer", "reviewer"])
def test_who_is_no_engineer_sees_and_does_not_prune(
    open_page: Opening, app: Services, clock: Clock, monkeypatch: pytest.MonkeyPatch, role: Any
) -> None:
    keep(app)
    clock.now += timedelta(days=31)
    monkeypatch.setattr(access, "_current_user", lambda: User(name="ds@example.vn", role=role))
    at = open_page("cache.py", part="prune")
    assert at.info[0].value == "Chỉ kỹ sư được dọn. Hãy nhờ người quản trị."
    assert [button.key for button in at.button if button.key and "prune" in button.key] == []
