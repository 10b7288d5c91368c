"""What a call cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.language_models.pricing import Price, PriceTable, load_prices, shipped_prices
from duocthu_core.settings import SettingsError

TABLE = PriceTable(
    free_providers=frozenset({"offline"}),
    profile_prefixes=("apac.", "us."),
    models={"amazon.nova-lite-v1:0": Price(input=0.06, output=0.24), "us.amazon.nova-lite-v1:0": Price(input=1, output=2)},
)


def test_tokens_times_price() -> None:
    assert TABLE.cost("bedrock", "amazon.nova-lite-v1:0", 2000, 500) == pytest.approx(0.12 + 0.12)


def test_a_profile_is_priced_as_its_model_unless_listed_by_itself() -> None:
    assert TABLE.cost("bedrock", "apac.amazon.nova-lite-v1:0", 1000, 0) == pytest.approx(0.06)
    assert TABLE.cost("bedrock", "us.amazon.nova-lite-v1:0", 1000, 0) == pytest.approx(1)
    arn = "arn:aws:bedrock:ap-southeast-1:123456789012:inference-profile/apac.amazon.nova-lite-v1:0"
    assert TABLE.cost("bedrock", arn, 1000, 0) == pytest.approx(0.06)


def test_a_model_without_a_price_costs_unknown_and_not_nothing() -> None:
    assert TABLE.cost("openai", "qwen2.5-coder:1.5b", 1000, 1000) is None


def test_a_call_whose_tokens_were_not_counted_costs_unknown() -> None:
    assert TABLE.cost("bedrock", "amazon.nova-lite-v1:0", 0, 0) is None


def test_a_provider_that_sends_nothing_costs_nothing() -> None:
    assert TABLE.cost("offline", "whatever", 1000, 1000) == 0.0


def test_the_prices_that_ship_can_be_read() -> None:
    prices = shipped_prices()
    assert prices.as_of
    assert prices.cost("offline", "offline", 10, 10) == 0.0
    assert prices.cost("bedrock", "apac.amazon.nova-lite-v1:0", 1000, 1000) == pytest.approx(0.0003)


@pytest.mark.parametrize(
    "text",
    ["models: {m: {input: -1, output: 0}}", "models: {m: {input: 1}}", "models: [", "modles: {}", "models: {m: {input: .nan, output: 1}}"],
)
def test_a_wrong_price_is_named_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_prices(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
