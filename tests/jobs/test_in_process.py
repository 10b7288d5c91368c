"""Jobs of every kind on SQLite, done by the process itself: the same path as on a queue."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.jobs.model import Job, JobError
from duocthu_core.settings import load_settings
from tests.jobs.installation import many_cases

MONOGRAPH = "# PARACETAMOL\n\nTên chung quốc tế: Paracetamol.\n\n## Chỉ định\n\nGiảm đau và hạ sốt từ nhẹ đến vừa.\n"


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path / "data", DUOCTHU_DATABASE_URL=""))


def ended(services: Services, job_id: str) -> Job:
    """The job once this process has done it."""
    assert services.job_executor is not None
    assert services.job_executor.wait(120)
    return services.jobs.status(job_id)


def test_a_run_has_a_result_for_each_case_and_goes_on_with_none_twice(services: Services, tmp_path: Path) -> None:
    path = str(many_cases(tmp_path / "few.jsonl", 30))
    job = ended(services, services.jobs.submit("eval.run", {"set": path}, by="local"))
    run = services.evaluating().found(str(job.about["run_id"]))
    assert (job.status, job.done, job.total, run.status) == ("done", 30, 30, "finished")
    assert len(services.evaluations.results(run.run_id)) == 30
    assert not any(result.missing for result in services.evaluations.results(run.run_id))
    assert services.jobs.status(services.jobs.submit("eval.run", {"set": path}, by="local")).about["run_id"] != run.run_id


def test_verdicts_of_another_prompt_are_judged_again_and_found_fresh(services: Services) -> None:
    state = ConversationState(conversation_id="c")
    for question in ("Liều paracetamol uống cho người lớn?", "Chống chỉ định của ibuprofen?"):
        services.pipeline.run(question, state)
    before = services.verification_cache.stats(services.current_judge()).by_staleness["fresh"]
    assert before > 0
    prompts = services.ruleset.prompts.model_copy(update={"judge_user": services.ruleset.prompts.judge_user + "\nTrả lời ngắn gọn."})
    other = services.with_ruleset(services.ruleset.model_copy(update={"prompts": prompts}))
    judge = other.current_judge()
    stale = other.verification_cache.stats(judge).by_staleness["stale_prompt"]
    assert stale > 0
    job = ended(services, other.jobs.submit("verdicts.rejudge", {}, by="local"))
    assert (job.status, job.error, job.counts) == ("done", None, {"judged": stale})
    assert other.verification_cache.stats(judge).by_staleness["stale_prompt"] == 0
    again = ended(services, other.jobs.submit("verdicts.rejudge", {}, by="local"))
    assert (again.status, again.total) == ("done", 0)


def test_an_import_ends_on_the_shelf_and_answers_nobody_before_it_is_chosen(services: Services) -> None:
    shelf = CorpusShelf(services.settings.data_dir)
    kept = shelf.keep_upload("paracetamol.md", MONOGRAPH.encode())
    arguments = {"edition": "Thử 2026", "uploads": [f"{kept.parent.name}/{kept.name}"]}
    job = ended(services, services.jobs.submit("corpus.import", arguments, by="local"))
    assert (job.status, job.error, job.done, job.total) == ("done", None, 100, 100)
    assert job.counts["monographs"] == 1
    (book,) = shelf.imported()
    assert book.edition == "Thử 2026"
    assert shelf.chosen() is None


def test_an_import_reads_nothing_outside_the_uploads(services: Services) -> None:
    for name in ("../../secrets.md", "a/../../../x.md", "/etc/passwd"):
        with pytest.raises(JobError, match="is no uploaded file"):
            services.jobs.submit("corpus.import", {"edition": "Thử", "uploads": [name]}, by="local")
    with pytest.raises(JobError, match="is not among the uploads here"):
        services.jobs.submit("corpus.import", {"edition": "Thử", "uploads": ["0123456789abcdef/x.md"]}, by="local")


def test_a_set_that_is_none_is_refused_in_one_line(services: Services) -> None:
    with pytest.raises(JobError, match="eval set nowhere: cannot be read"):
        services.jobs.submit("eval.run", {"set": "nowhere"}, by="local")
    assert services.jobs.recent() == []
