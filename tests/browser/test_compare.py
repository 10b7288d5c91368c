"""So sánh in a real browser: a guard is loosened, a dangerous claim gets through, the comparison shows where, the rule is put back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.evaluation.spoiled_turns import SpoiledDraft
from duocthu_core.pipeline.comparing import drafted_claims
from duocthu_core.rulesets.documents import RulesetDraft
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import load_settings
from tests.browser.conftest import Opened
from tests.browser.server import running_server
from tests.browser.test_rules import name_it, set_guard

GUARD = "ngược ý sách"
_TWO_TURNS_MS = 60_000
"""Two whole turns are run, the first under rules that were not used before."""


class Scene:
    """A server with a turn whose draft allows what the book forbids, under the rules in force and under loosened ones."""

    def __init__(self, address: str, data_dir: Path) -> None:
        self.address = address
        services = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=data_dir))
        self.turn = services.ask("Chống chỉ định của metformin", services.new_conversation_id())
        was = next(claim for claim in drafted_claims(self.turn) if "Không dùng" in claim.text)
        now = was.model_copy(update={"text": was.text.replace("Không dùng", "Dùng")})
        model = SpoiledDraft(self.turn, was, now, services.pipeline.parts.generator)
        self.kept, self.through = (
            services.rules_desk.replay(self.turn.trace_id, rules, generator=model).trace for rules in (services.ruleset, loosened(services))
        )


def loosened(services: Services) -> Ruleset:
    draft = RulesetDraft(base_id=services.ruleset.ruleset_id).with_field("guards.negation_mismatch", "off", services.ruleset)
    made = services.rules_desk.checked(draft, services.ruleset, name="lỏng", author="Lan", note="")
    services.rules_desk.save(made, None, "Lan")
    return made


@pytest.fixture(scope="module")
def scene(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    data_dir = tmp_path_factory.mktemp("compare")
    with running_server(data_dir) as address:
        yield Scene(address, data_dir)


@pytest.mark.parametrize(("width", "height", "dark"), [(1280, 800, False), (390, 844, True)])
def test_a_weakened_guard_is_the_first_difference(opened: Opened, scene: Scene, width: int, height: int, dark: bool) -> None:
    address = f"{scene.address}/so-sanh?a={scene.kept.trace_id}&b={scene.through.trace_id}"
    screen = opened(address, width=width, height=height, dark=dark)
    screen.sees("Khác nhau từ chặng 10: Rào chắn")
    screen.sees(f"rào chắn “{GUARD}”: Chặn → Tắt")
    screen.sees(f"Bị chặn: {GUARD}")
    assert not screen.scrolls_sideways()
    assert screen.pale_texts() == []
    if width == 1280:
        screen.clicks(screen.page.get_by_role("link", name="Mở lượt B"))
        screen.address_has(f"trace={scene.through.trace_id}")
        screen.shows_stage("Rào chắn")
        screen.clicks(screen.page.get_by_role("link", name="So sánh với lượt gốc"))
        screen.address_has(f"a={scene.turn.trace_id}")
        screen.sees("Khác nhau từ chặng 8: Soạn câu")


def test_from_a_guard_that_is_loosened_to_the_comparison_and_back(opened: Opened, scene: Scene) -> None:
    screen = opened(f"{scene.address}/quy-tac")
    screen.sees("Chưa sửa gì")
    set_guard(screen, GUARD, "Tắt")
    screen.sees("− reject")
    name_it(screen, "nới")
    screen.press("Lưu thành bản mới")
    screen.sees("Đã lưu “nới”, bản 1.")

    screen.page.goto(f"{scene.address}/dot-bien?trace={scene.turn.trace_id}&rules=n%E1%BB%9Bi&run=1")
    survivors = screen.page.get_by_role("list", name="Lọt lưới").get_by_role("button").filter(has_text="Không dùng → Dùng")
    screen.clicks(survivors.first)
    screen.sees("Mệnh đề đột biến")
    screen.sees("Chạy cả lượt với mệnh đề này")
    screen.address_has("survivor=")
    screen.press("Chạy cả lượt với mệnh đề này")
    made = screen.page.get_by_role("link", name="So sánh hai lượt vừa chạy")
    expect(made).to_be_visible(timeout=_TWO_TURNS_MS)
    screen.clicks(made)
    screen.sees("Khác nhau từ chặng 10: Rào chắn")
    screen.sees(f"RÀO CHẮN ĐÃ TẮT khi tạo câu trả lời này: {GUARD}")
    screen.sees("Đã trả lời")

    screen.page.goto(f"{scene.address}/quy-tac?ruleset=n%E1%BB%9Bi")
    screen.sees("Chưa sửa gì")
    set_guard(screen, GUARD, "Chặn")
    screen.sees("− off")
    screen.press("Lưu thành bản mới")
    screen.sees("Đã lưu “nới”, bản 2.")

    screen.page.goto(f"{scene.address}/dot-bien?trace={scene.turn.trace_id}&rules=n%E1%BB%9Bi&run=1")
    screen.sees("Loại đột biến và bước kiểm")
    expect(survivors).to_have_count(0)
