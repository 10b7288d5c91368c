"""The rules that a command works under: those that ship without a database, others out of it."""

from __future__ import annotations

from duocthu_core.rulesets.loading import shipped_names, shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import Settings

_SQLITE = "sqlite:///"


def chosen_ruleset(settings: Settings) -> Ruleset:
    """The rules that the settings or ``--ruleset`` name. Only a name that does not ship opens the database, where there is one. Raises
    RulesetError, StorageUnavailable."""
    if settings.ruleset in shipped_names() or not _has_database(settings):
        return shipped_ruleset(settings.ruleset)
    from duocthu_core.rulesets.store import RulesetLibrary  # noqa: PLC0415 - the checks start without a database
    from duocthu_core.storage.database import open_database  # noqa: PLC0415
    from duocthu_core.storage.rulesets import SqlRulesetStore  # noqa: PLC0415

    return RulesetLibrary(SqlRulesetStore(open_database(settings.effective_database_url))).find(settings.ruleset)


def ruleset_in_force(settings: Settings) -> Ruleset:
    """The rules of ``--ruleset``, else those that answer everybody: for commands that work on the database anyway."""
    if settings.ruleset_pinned:
        return chosen_ruleset(settings)
    from duocthu_core.rulesets.store import RulesetLibrary  # noqa: PLC0415
    from duocthu_core.storage.database import open_database  # noqa: PLC0415
    from duocthu_core.storage.rulesets import SqlRulesetStore  # noqa: PLC0415

    return RulesetLibrary(SqlRulesetStore(open_database(settings.effective_database_url))).in_force(settings.ruleset)


def _has_database(settings: Settings) -> bool:
    """Whether a database is there; naming rules must not make one."""
    url = settings.effective_database_url
    return not url.startswith(_SQLITE) or settings.database_url != "" or (settings.data_dir / "workbench.sqlite3").is_file()
