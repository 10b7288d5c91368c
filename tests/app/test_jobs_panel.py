"""Batch work on the page of administration."""

from __future__ import annotations

from datetime import UTC, datetime

from duocthu_core.bootstrap import Services
from duocthu_core.jobs.model import NewJob, Plan, PlannedPart
from tests.app.conftest import Opening


def submitted(services: Services, job_id: str, subject: str) -> None:
    """A job that waits, as another process submitted it."""
    plan = Plan(subject=subject, about={"edition": "Dược thư 2018"}, parts=(PlannedPart(arguments={}, size=4),))
    at = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    services.job_store.add(
        NewJob(job_id=job_id, kind="corpus.import", arguments={}, plan=plan, submitted_by="ks@benhvien.vn", submitted_at=at)
    )


def test_jobs_are_listed_with_their_progress_and_why_they_failed(open_page: Opening, services: Services) -> None:
    submitted(services, "job-1", "a")
    services.job_store.begin("job-1", 0)
    services.job_store.advance("job-1", 0, 1)
    submitted(services, "job-2", "b")
    services.job_store.fail("job-2", "tờ.md: <b>không đọc được</b>")
    shown = {row["Mã việc"]: row for row in open_page("admin.py").dataframe[0].value.to_dict("records")}
    assert (shown["job-1"]["Loại"], shown["job-1"]["Trạng thái"], shown["job-1"]["Số mục"]) == ("Nhập sách", "Đang chạy", "1/4")
    assert (shown["job-2"]["Trạng thái"], shown["job-2"]["Ghi chú"]) == ("Hỏng", "tờ.md: <b>không đọc được</b>")
    assert shown["job-2"]["Người gửi"] == "ks@benhvien.vn"


def test_an_empty_list_says_how_work_is_submitted(open_page: Opening) -> None:
    assert any("jobs submit eval.run" in text.value for text in open_page("admin.py").text)


def test_a_job_that_has_not_ended_is_cancelled_and_written_into_the_log(open_page: Opening, services: Services) -> None:
    submitted(services, "job-1", "a")
    at = open_page("admin.py")
    at.button(key="jobs_cancel_now").click().run()
    assert services.jobs.status("job-1").status == "cancelled"
    assert [(line.actor, line.action, line.target) for line in services.audit.recent()] == [("local", "job.cancel", "job-1")]
