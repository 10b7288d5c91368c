"""``review``: queues listed, exported and imported again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from duocthu_core.bootstrap import bootstrap
from duocthu_core.cli import main
from duocthu_core.review.model import Assessment, ClaimAssessment, NewQueue
from duocthu_core.settings import load_settings
from tests.app import sample_traces as sample

WHO = "ds.lan@bv.vn"


def filled(folder: Path) -> str:
    """A store with one queue of which one item is judged; the queue's id."""
    services = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=folder))
    for trace in sample.conversation():
        services.traces.save(trace)
    queue = services.reviewing.make_queue(NewQueue(name="Liều =1+1", size=5), WHO)
    item = services.reviewing.next_item(queue.queue_id, WHO)
    assert item is not None
    claims = services.reviewing.open(item, WHO).claims
    right = Assessment(judgement="right", note="=1+1")
    services.reviewing.finish(item, WHO, [ClaimAssessment(claim_index=c.claim_index, assessment=right) for c in claims], "e1")
    return queue.queue_id


def test_a_queue_goes_out_and_comes_back_byte_for_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue_id = filled(tmp_path / "a")
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "a"))
    assert main(["review", "queues"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert (listed["queue_id"], listed["progress"]["begun"]) == (queue_id, 1)
    first, again, table = (tmp_path / name for name in ("1.jsonl", "2.jsonl", "1.csv"))
    assert main(["review", "export", queue_id, "--output", str(first)]) == 0
    assert main(["review", "export", queue_id, "--format", "csv", "--output", str(table)]) == 0
    assert table.read_bytes().startswith(b"\xef\xbb\xbfqueue,")
    assert "'=1+1" in table.read_text(encoding="utf-8")
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "b"))
    assert main(["review", "import", str(first)]) == 0
    assert main(["review", "export", queue_id, "--output", str(again)]) == 0
    assert again.read_bytes() == first.read_bytes()


def test_what_cannot_be_used_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path))
    broken = tmp_path / "hỏng.jsonl"
    broken.write_text("{}\n", encoding="utf-8")
    for arguments in (["export", "nothing"], ["import", str(broken)], ["import", str(tmp_path / "nowhere")]):
        assert main(["review", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1
