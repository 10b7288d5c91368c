"""The counts of the kept verdicts by what they are worth, by tier and by age."""

from __future__ import annotations

from duocthu_core.bootstrap import Services
from duocthu_core.cache.model import CacheStats, Staleness, Tier
from duocthu_core.cache.verification_cache import STALENESS
from pages.components.count_cards.count_cards import Card, CardGroup
from pages.components.stage_details.cache import LOOK
from pages.frame.cache_address import AGES, CacheAddress
from pages.frame.words import _

_TIERS: tuple[Tier, ...] = ("free", "premium")


def counted_groups(stats: CacheStats, here: CacheAddress, app: Services) -> list[CardGroup]:
    """The groups of :func:`pages.components.count_cards.count_cards`; each counts the whole cache, whatever else is chosen."""
    cache, judge = app.verification_cache, app.current_judge()
    ages = {age: cache.count(cache.filters(judge, ages=bounds)) for age, bounds in AGES.items()}
    return [
        CardGroup("staleness", _("cache.staleness"), [_staleness(name, stats.by_staleness[name]) for name in STALENESS], here.staleness),
        CardGroup(
            "tier", _("cache_page.tier"), [Card(tier, _(f"cache_tier.{tier}"), stats.by_tier.get(tier, 0)) for tier in _TIERS], here.tier
        ),
        CardGroup("age", _("cache_page.age"), [Card(age, _(f"cache_age.{age}"), count) for age, count in ages.items()], here.age),
    ]


def _staleness(name: Staleness, count: int) -> Card:
    tone, icon = LOOK[name]
    if name == "miss":  # of what is stored, only what is expired is none to a request
        return Card(name, _("cache_page.expired"), count, "clock", tone, _("cache_costs.miss"))
    return Card(name, _(f"staleness.{name}"), count, icon, tone, _(f"cache_costs.{name}"))
