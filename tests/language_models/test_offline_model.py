"""The port: one model for four purposes, deterministic, JSON text out, nothing raised but ModelError."""

from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.answering.claims import MalformedOutput, parse_draft
from duocthu_core.answering.model import Claim
from duocthu_core.answering.sufficiency import parse_sufficiency, sufficiency_request
from duocthu_core.language_models.offline import MODEL_ID, OfflineModel
from duocthu_core.language_models.offline.lexicon import lexicon_of
from duocthu_core.language_models.port import ModelError, ModelRequest
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.verification.completeness import check_objections
from tests.answering.blocks import block
from tests.language_models.offline_asking import age, asked, model, objections

DOSE = block(1, "0,5 - 1 g/lần. Tối đa 4 g/ngày.", label="Người lớn:\nUống:")


def test_it_says_what_it_is():
    assert (model().provider, model().model_id) == ("offline", MODEL_ID)


def test_the_same_request_gives_the_same_reply():
    again = OfflineModel(shipped_ruleset())
    request = sufficiency_request("liều?", [DOSE], shipped_ruleset())
    assert model().complete(request, timeout_s=1) == again.complete(request, timeout_s=9)


def test_it_may_be_shared_between_threads():
    replies: set[str] = set()

    def ask() -> None:
        for _ in range(20):
            replies.add(asked("liều uống người lớn?", [DOSE], population="nguoi_lon").model_dump_json())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 1


@pytest.mark.parametrize("purpose", ["understanding", "entailment", "completeness"])
def test_what_it_cannot_serve_is_a_model_error(purpose):
    with pytest.raises(ModelError) as error:
        model().complete(ModelRequest(purpose=purpose, system="", user=""), timeout_s=1)
    assert error.value.kind == "malformed"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["evidence", "claims", "question", "text", "index"]), inner)
    ),
    max_leaves=10,
)


@given(
    st.sampled_from(["answer", "entailment", "completeness", "sufficiency"]),
    st.dictionaries(st.sampled_from(["question", "evidence", "claims", "resolved", "plan", "stated", "mentions", "repair_missing"]), _JSON),
)
def test_any_payload_gives_json_text_or_a_model_error(purpose, payload):
    try:
        response = model().complete(ModelRequest(purpose=purpose, system="", user="", payload=payload), timeout_s=1)
    except ModelError:
        return
    assert isinstance(json.loads(response.text), dict)


def test_sufficiency_is_what_the_answer_would_be(ruleset):
    enough = model().complete(sufficiency_request("liều uống người lớn?", [DOSE], ruleset), timeout_s=1)
    assert parse_sufficiency(enough.text, enough.stop_reason) == (True, "")
    effects = block(1, "Da: ban.", section="tac_dung_khong_mong_muon")
    lacking = model().complete(sufficiency_request("có gây rụng tóc không?", [effects], ruleset), timeout_s=1)
    sufficient, why = parse_sufficiency(lacking.text, lacking.stop_reason)
    assert not sufficient
    assert "rụng tóc" in why


class TestCompleteness:
    LIMIT = block(2, "Không quá 5 liều trong vòng 24 giờ.", label="Trẻ em:\nUống:")
    BAND = block(3, "6 - 8 tuổi: 240 mg; tối đa 4 liều/24 giờ.", label="Trẻ em:\nUống:")

    def found(self, *claims: Claim):
        return objections("liều uống cho bé 7 tuổi?", claims, [self.LIMIT, self.BAND], age(7), population="tre_em", route="uong")

    def test_an_answer_with_its_limits_is_complete(self):
        draft = asked("liều uống cho bé 7 tuổi?", [self.LIMIT, self.BAND], age(7), population="tre_em", route="uong")
        assert self.found(*draft.claims) == ()

    def test_a_limit_that_was_left_out_is_objected_to_with_a_true_quote(self):
        claims = [Claim(text="Trẻ em: Uống: 6 - 8 tuổi: 240 mg.", citations=(3, 2))]
        found = self.found(*claims)
        assert [item.evidence_quote for item in found] == [
            "Không quá 5 liều trong vòng 24 giờ.",
            "6 - 8 tuổi: 240 mg; tối đa 4 liều/24 giờ.",
        ]
        checked = check_objections(found, claims, [self.LIMIT, self.BAND], shipped_ruleset().thresholds)
        assert all(item.accepted for item in checked)

    def test_where_figures_are_suppressed_no_limit_is_missing(self):
        warning = block(5, "Theo dõi gan. Không dùng quá 5 ngày.", section="than_trong")
        claims = [Claim(text="Theo dõi gan.", citations=(5,))]
        assert objections("thận trọng gì?", claims, [warning]) == ()

    def test_a_limit_for_another_group_is_none_of_this_answer_s(self):
        adult = block(4, "Tối đa 4 g/ngày.", label="Người lớn:")
        claims = [Claim(text="Trẻ em: Uống: 6 - 8 tuổi: 240 mg; tối đa 4 liều/24 giờ.", citations=(3,))]
        found = objections("liều uống cho bé 7 tuổi?", claims, [self.BAND, adult], age(7), population="tre_em", route="uong")
        assert found == ()


class MisbehavingReplies:
    """What real models send back for a good draft."""

    GOOD = '{"claims": [{"text": "Tối đa 4 g/ngày.", "citations": [1], "drug_id": null}], "evidence_sufficient": true}'
    READ = (GOOD, f"```json\n{GOOD}\n```", f"Dạ, đây là kết quả:\n{GOOD}", f"{GOOD}\n\nLưu ý: hỏi dược sĩ.")
    REFUSED = (
        GOOD[:-10],
        GOOD + GOOD,
        GOOD.replace("[1]", '["1"]'),
        GOOD.replace("[1]", "[true]"),
        GOOD.replace("4 g/ngày.", "4 g/ngày [1]."),
        GOOD.replace('"citations"', '"citation"'),
        "Tối đa 4 g/ngày [1].",
    )


@pytest.mark.parametrize("reply", MisbehavingReplies.READ)
def test_habits_of_real_models_are_read(reply):
    assert parse_draft(reply, list_mode=False, stop_reason="end_turn", rules=shipped_ruleset().generation).claims[0].citations == (1,)


@pytest.mark.parametrize("reply", MisbehavingReplies.REFUSED)
def test_and_what_would_be_guessing_is_refused(reply):
    with pytest.raises(MalformedOutput):
        parse_draft(reply, list_mode=False, stop_reason="end_turn", rules=shipped_ruleset().generation)


def test_rules_with_the_same_tables_share_what_is_compiled_from_them_and_others_never_do():
    ruleset = shipped_ruleset()
    answering = ruleset.tables["answering"]
    offline = {**answering["offline"], "rate_words": ["tốc độ"]}
    other = ruleset.model_copy(update={"tables": {**ruleset.tables, "answering": {**answering, "offline": offline}}})
    assert lexicon_of(ruleset.model_copy(update={"name": "khác"})) is lexicon_of(ruleset)
    assert lexicon_of(other) is not lexicon_of(ruleset)
    assert lexicon_of(other).rules["rate_words"] == ["tốc độ"]
