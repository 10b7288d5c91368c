"""Which lines of the shown blocks answer the question (spec 03, "The offline model")."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from math import inf

from duocthu_core.language_models.offline.lexicon import AGE_AXIS, Lexicon
from duocthu_core.language_models.offline.question import Asked, StatedValue, Topic
from duocthu_core.language_models.offline.reading import Item
from duocthu_core.text.folding import strip_marks
from duocthu_core.text.phrases import PhraseMatcher, words

_SPECIAL_AXES = ("renal", "hepatic", "reproductive", "sex")


class Chooser:
    """Chooses items by patient, route, band and topic with the words of one lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def dosing(self, items: Sequence[Item], asked: Asked) -> list[Item]:
        """Lines of a dosage section that stand for the patient, route and values of the question.

        Nothing is left out that limits a chosen line; a line for another patient, route or band is never chosen.
        """
        kept = [item for item in items if self.fits_patient(item, asked) and self.fits_route(item, asked) and self.fits_bands(item, asked)]
        if self._only_for_others(items, kept, asked):
            return []
        kept = self._prefer_named_group(kept, asked)
        kept = self._prefer_stated_bands(kept, asked)
        kept = self._of_severity(kept, asked)
        return self._prefer_topics(kept, asked)

    def prose(self, items: Sequence[Item], asked: Asked) -> list[Item] | None:
        """Lines of any other section. None where the question has a topic that no line is about."""
        kept = list(items)  # "uống quá liều" says how it was taken; no line of another section is for one route only
        if asked.tiers:
            kept = [item for item in kept if self._tiers(item) & asked.tiers] or kept
        if asked.allergy_words and asked.section_key in self._lexicon.rules["whole_sections"]:
            return self._about_allergy(kept, asked)
        kept = self._of_aspect(kept, asked)
        about_group = self._about_population(kept, asked)
        about_topic = self.about(kept, asked.topics)
        if asked.section_key in self._lexicon.rules["told_whole"] and not (about_topic and asked.is_yes_no):
            return kept
        if asked.topics:
            if about_topic:
                return self._with_followers(kept, about_topic)
            whole_section = asked.section_key in self._lexicon.rules["group_sections"]
            if (asked.is_yes_no and not whole_section) or asked.mode in ("interaction", "candidate_list"):
                return None
        if about_group is None:
            return None
        return self._with_followers(kept, about_group)

    def about(self, items: Sequence[Item], topics: Iterable[Topic]) -> list[Item]:
        """The lines that are about one of ``topics``, those that fit best for each."""
        chosen: dict[tuple[int, int], Item] = {}
        for topic in topics:
            scored = [(self._share(item, topic), item) for item in items]
            best = max((share for share, _ in scored), default=0.0)
            if best >= self._lexicon.rules["topic_share"]:
                chosen |= {item.place: item for share, item in scored if share >= best}
        return [item for item in items if item.place in chosen]

    def undecided(self, items: Sequence[Item], asked: Asked) -> list[Item]:
        """Dosing lines for the patient that the stated values do not settle ("trẻ 12 kg", and the line goes by age)."""
        stated = frozenset(value.kind for value in asked.stated)
        return [
            item
            for item in items
            if item.is_dose and not item.is_manner and stated and item.bands and not self._is_decided(item, stated)
            if self.fits_patient(item, asked) and self.fits_route(item, asked) and self.fits_bands(item, asked)
        ]

    def is_by_age(self, asked: Asked) -> bool:
        """Whether the patient is told by age or weight, or by a group of an age."""
        return bool(asked.stated) or (asked.population is not None and self._lexicon.axis_of(asked.population) == AGE_AXIS)

    def fits_patient(self, item: Item, asked: Asked) -> bool:
        """Whether the line may stand for the patient: the same group on the asked axis, and no condition that was not asked."""
        if self._is_of_another_age(item, asked):
            return False
        asked_tag = self._effective_population(asked)
        axis = self._lexicon.axis_of(asked_tag) if asked_tag else None
        if asked_tag and axis and (tags := item.populations.get(axis)) and not any(self._same_group(asked_tag, tag) for tag in tags):
            return False
        if asked.survey or asked.states("clcr"):
            return True
        return all(other == axis or other not in item.populations or _is_normal(item.populations[other]) for other in _SPECIAL_AXES)

    def _is_of_another_age(self, item: Item, asked: Asked) -> bool:
        """Whether the stated age, or a weight that no newborn has, shuts out every group that the line names."""
        tags = item.populations.get(AGE_AXIS)
        return bool(tags) and any(not any(self._can_have(tag, value) for tag in tags or ()) for value in asked.stated)

    def _can_have(self, tag: str, value: StatedValue) -> bool:
        """Whether a patient of a group can have the stated value."""
        if value.kind == "weight":
            return "tre_so_sinh" not in self._lexicon.lineage(tag) or value.low <= self._lexicon.rules["newborn_max_kg"]
        low, high = self._lexicon.rules["ages"].get(tag, (0, inf))
        return value.kind != "age" or (low <= value.high and value.low <= high)

    def fits_route(self, item: Item, asked: Asked) -> bool:
        """Whether the line is for the asked route, or leaves the route open."""
        if not asked.route or not item.routes:
            return True
        # "Tiêm:" over a line that goes on with "tĩnh mạch" holds for the injection asked about as well.
        general = (route for route in item.routes if self._lexicon.route_satisfies(route, asked.route) and item.is_manner)
        return any(self._lexicon.route_satisfies(asked.route, route) for route in item.routes) or any(general)

    def fits_bands(self, item: Item, asked: Asked) -> bool:
        """Whether no band of the line excludes a stated value."""
        return all(self._meets(item, value.kind, value.low, value.high) is not False for value in asked.stated)

    def _meets(self, item: Item, kind: str, low: float, high: float) -> bool | None:
        bands = [band for band in item.bands if band.kind == kind]
        return any(band.meets(low, high) for band in bands) if bands else None

    def _effective_population(self, asked: Asked) -> str | None:
        """The group asked about; a stated age of a child is one, whatever else was named."""
        if asked.population:
            return asked.population
        ages = [value for value in asked.stated if value.kind == "age"]
        if ages and all(value.high < 18 * 12 for value in ages):
            return "tre_em"
        return "nguoi_lon" if ages and all(value.low >= 18 * 12 for value in ages) else None

    def _same_group(self, asked: str, written: str) -> bool:
        """A line for a wider or a narrower group of the same axis may be meant; which one its band decides."""
        return asked in self._lexicon.lineage(written) or written in self._lexicon.lineage(asked)

    def _prefer_named_group(self, items: list[Item], asked: Asked) -> list[Item]:
        """Where lines name the asked group, lines that leave the group open stay only if they belong to the same text as a limit."""
        population = self._effective_population(asked)
        if population is None:
            return items
        axis = self._lexicon.axis_of(population)
        if axis == AGE_AXIS:
            return self._without_unnamed(self._without_wider(items, population), population)
        if not any(axis in item.populations for item in items):
            return items
        return [item for item in items if axis in item.populations]

    def _without_wider(self, items: list[Item], population: str) -> list[Item]:
        """Where lines are for just the asked group, those for a wider one ("Trẻ em" where newborns were asked about) are left out."""
        exact = [item for item in items if any(population in self._lexicon.lineage(tag) for tag in item.populations.get(AGE_AXIS, ()))]
        if not any(item.is_dose and not item.is_manner for item in exact):
            return items
        places = {item.place for item in exact}
        return [item for item in items if item.place in places or AGE_AXIS not in item.populations or not item.is_dose]

    def _prefer_stated_bands(self, items: list[Item], asked: Asked) -> list[Item]:
        """Where stated values settle some dosing lines, those whose bands are of another kind, and so cannot be told, are left out."""
        if not asked.stated:
            return items
        stated = frozenset(value.kind for value in asked.stated)
        decided = [item for item in items if item.is_dose and not item.is_manner and self._is_decided(item, stated)]
        if not decided:
            return items
        population = self._effective_population(asked)
        places = {item.place for item in decided}
        return [
            item
            for item in items
            if item.place in places or not item.is_dose or (item.band_kinds <= stated and not self._is_narrower(item, population))
        ]

    def _is_narrower(self, item: Item, population: str | None) -> bool:
        """Whether the line is for a part of the asked group only ("Sơ sinh" where children were asked about)."""
        tags = item.populations.get(AGE_AXIS)
        return bool(tags and population) and all(population in self._lexicon.lineage(tag) - {tag} for tag in tags or ())

    def _is_decided(self, item: Item, stated: frozenset[str]) -> bool:
        """Whether the stated values settle that the line applies: all its bands are of a stated kind, or it is a dose by body weight."""
        if item.bands:
            return item.band_kinds <= stated
        return "weight" in stated and "/kg" in item.text.replace(" ", "")

    def _of_severity(self, items: list[Item], asked: Asked) -> list[Item]:
        """A named severity leaves out the lines whose label names another one."""
        if not asked.severities:
            return items
        return [item for item in items if not (found := self._severities(item)) or found & asked.severities]

    def _severities(self, item: Item) -> set[str]:
        return self._lexicon.severities_in("\n".join(item.conditions)) or self._lexicon.severities_in(item.text)

    def _only_for_others(self, items: Sequence[Item], kept: Sequence[Item], asked: Asked) -> bool:
        """Whether the book gives a dose for the asked condition, but only for other patients: then it gives none for this one."""
        doses = [item for item in items if item.is_dose and not item.is_manner]
        named = [topic for topic in asked.topics if any(self._label_share(item, topic) >= self._least_share for item in doses)]
        places = {item.place for item in kept}
        return bool(named) and not any(
            item.place in places and self._label_share(item, topic) >= self._least_share for topic in named for item in doses
        )

    def _of_aspect(self, items: list[Item], asked: Asked) -> list[Item]:
        """Where the question names a part of the section ("xử trí"), the lines whose labels, or else whose words, name that part."""
        for asked_words, label_words in self._lexicon.aspects:
            if asked_words.find(asked.text):
                named = [item for item in items if any(label_words.find(label) for label in item.conditions)]
                named = named or [item for item in items if label_words.find(item.text) or asked_words.find(item.text)]
                if named:
                    return named
        return items

    def _prefer_topics(self, items: list[Item], asked: Asked) -> list[Item]:
        """Where the labels of some dosing lines name the asked condition, the lines of other conditions are left out."""
        wanted = [topic for topic in asked.topics if any(self._label_share(item, topic) >= self._least_share for item in items)]
        if not wanted:
            return items
        return [
            item
            for item in items
            if any(self._label_share(item, topic) >= self._least_share for topic in wanted) or not self._named_condition(item)
        ]

    def _without_unnamed(self, items: list[Item], population: str) -> list[Item]:
        """A dose that names no group is not taken for a child's, unless it goes by body weight; limits and manners stay."""
        if "tre_em" not in self._lexicon.lineage(population):
            return items
        return [
            item
            for item in items
            if not item.is_dose or item.is_manner or AGE_AXIS in item.populations or item.bands or "/kg" in item.text.replace(" ", "")
        ]

    @property
    def _least_share(self) -> float:
        return float(self._lexicon.rules["topic_share"])

    def _named_condition(self, item: Item) -> bool:
        return not item.is_manner and any(self._lexicon.is_condition(label) for label in item.conditions)

    def _label_share(self, item: Item, topic: Topic) -> float:
        labels = " ; ".join(item.conditions) if item.conditions else item.text
        return share_of_topic(labels, topic)

    def _share(self, item: Item, topic: Topic) -> float:
        return share_of_topic(_whole(item), topic)

    def _tiers(self, item: Item) -> set[str]:
        return {hit.value for label in item.conditions for hit in self._lexicon.frequency_tiers.find(label)}

    def _about_population(self, items: Sequence[Item], asked: Asked) -> list[Item] | None:
        """Lines that name the asked group; all where it was only carried over or the section itself is about it; None where none does."""
        population = asked.population
        if not population or asked.population_inherited or asked.section_key in self._lexicon.rules["group_sections"]:
            return list(items)
        if asked.section_key in self._lexicon.rules["whole_sections"] and not asked.is_yes_no:
            return list(items)
        named = [item for item in items if any(self._same_group(population, tag) for tag in self._lexicon.populations.tags(_whole(item)))]
        if named:
            return named
        return None if asked.is_yes_no else list(items)

    def _about_allergy(self, items: list[Item], asked: Asked) -> list[Item] | None:
        """Lines that name what the patient is allergic to or speak of allergies; the list of what is forbidden stays whole."""
        if not items or items[0].block.section_key in self._lexicon.rules["whole_sections"]:
            return items
        sought = PhraseMatcher(dict.fromkeys(asked.allergy_words, True))
        about = [item for item in items if sought.find(_whole(item))]
        return self._with_followers(items, about) or None

    def _with_followers(self, items: Sequence[Item], chosen: Sequence[Item]) -> list[Item]:
        """The chosen lines with those that take back or except what they say ("Tuy nhiên …")."""
        places = {item.place for item in chosen}
        for before, after in itertools.pairwise(items):
            same_block = before.block.index == after.block.index
            if same_block and before.place in places and self._lexicon.starts_with(self._lexicon.contrasts, after.text):
                places.add(after.place)
        return [item for item in items if item.place in places]


def share_of_topic(text: str, topic: Topic) -> float:
    """The share of the topic's words that stand in ``text``; of several words only those count that stand beside a neighbour of theirs,
    so that "đau … đầu tiên" is not about "đau đầu". A topic of several words typed without marks is looked for without them."""
    is_bare = len(topic.words) > 1 and topic.text.isascii()
    found = [word.folded for word in words(strip_marks(text) if is_bare else text)]
    if len(topic.words) == 1:
        return float(topic.words[0] in found)
    pairs = set(itertools.pairwise(found))
    beside = [pair in pairs for pair in zip(topic.words, topic.words[1:], strict=False)]
    counted = sum(1 for position in range(len(topic.words)) if any(beside[max(0, position - 1) : position + 1]))
    return counted / len(topic.words)


def _whole(item: Item) -> str:
    return "\n".join((*item.heads, item.text))


def _is_normal(tags: frozenset[str]) -> bool:
    return tags == {"than_binh_thuong"}
