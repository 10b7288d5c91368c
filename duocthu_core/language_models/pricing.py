"""What a call cost (``data/prices.yaml``). A price that is not known is None and shown as unknown, never as nothing."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from duocthu_core.rulesets.loading import RulesetError, read_yaml
from duocthu_core.settings import PROJECT_ROOT, SettingsError

PRICES_PATH = PROJECT_ROOT / "data" / "prices.yaml"


class Price(BaseModel):
    """USD per 1,000 tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


class PriceTable(BaseModel):
    """Prices by model id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: str = ""
    """Date of the price list, for the reader."""
    free_providers: frozenset[str] = frozenset()
    """Providers that send nothing anywhere: their calls cost nothing."""
    profile_prefixes: tuple[str, ...] = ()
    """What an inference profile puts in front of its model's id."""
    models: dict[str, Price] = {}

    def cost(self, provider: str, model: str, input_tokens: int, output_tokens: int) -> float | None:
        """USD for one call; None where the model has no price, or the provider counted no tokens."""
        if provider in self.free_providers:
            return 0.0
        price = self.price_of(model)
        if price is None or (input_tokens == 0 and output_tokens == 0):
            return None
        return (price.input * input_tokens + price.output * output_tokens) / 1000

    def price_of(self, model: str) -> Price | None:
        """The price of a model id, an inference profile's id or an ARN of either."""
        name = model.rsplit("/", 1)[-1] if model.startswith("arn:") else model
        bare = next((name.removeprefix(prefix) for prefix in self.profile_prefixes if name.startswith(prefix)), name)
        return self.models.get(name) or self.models.get(bare)


@lru_cache(maxsize=8)
def load_prices(path: Path) -> PriceTable:
    """The price table of a YAML file; raises :class:`SettingsError` with one line."""
    try:
        return PriceTable.model_validate(read_yaml(path))
    except RulesetError as error:
        raise SettingsError(str(error)) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise SettingsError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def shipped_prices() -> PriceTable:
    """The prices that ship."""
    return load_prices(PRICES_PATH)
