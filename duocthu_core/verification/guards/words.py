"""The word lists of guards.yaml, in the form texts are read in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.folding import collapse_spaces, nfc
from duocthu_core.verification.guards.tokens import read_tokens


def key(phrase: str) -> tuple[str, ...]:
    """The words of a phrase as texts are read."""
    return tuple(read_tokens(collapse_spaces(nfc(phrase))).words)


@dataclass
class GuardWords:
    """Single words and phrases by what the guards need them for."""

    ruleset: Ruleset

    def _set(self, name: str) -> frozenset[str]:
        return frozenset(self.ruleset.tables["guards"][name])

    @cached_property
    def bound_fillers(self) -> frozenset[str]:
        """Words that may stand between a bound and its number."""
        return self._set("bound_fillers")

    @cached_property
    def spacing_words(self) -> frozenset[str]:
        """Words that make a time the time between doses."""
        return self._set("spacing_words")

    @cached_property
    def spacing_fillers(self) -> frozenset[str]:
        """Words that may stand between such a word and its time."""
        return self._set("spacing_fillers")

    @cached_property
    def duration_openers(self) -> frozenset[str]:
        """Words before "một" that make it the number of a duration ("sau một tháng")."""
        return self._set("duration_openers")

    @cached_property
    def reference_openers(self) -> frozenset[str]:
        """Words that refer to the dose of a group ("như người lớn")."""
        return self._set("reference_openers")

    @cached_property
    def reference_fillers(self) -> frozenset[str]:
        """Words between such a word and the group."""
        return self._set("reference_fillers")

    @cached_property
    def acting_words(self) -> frozenset[str]:
        """What one drug does to another: "tăng", "giảm"."""
        return self._set("acting_words")

    @cached_property
    def acting_borders(self) -> frozenset[str]:
        """Words before such a verb that make what stands there no agent, or begin something else behind it."""
        return self._set("acting_borders")

    @cached_property
    def certain_phrases(self) -> tuple[tuple[str, ...], ...]:
        """What says that something is sure or a must."""
        return tuple(map(key, self.ruleset.tables["guards"]["certain_phrases"]))

    @cached_property
    def hedging_phrases(self) -> tuple[tuple[str, ...], ...]:
        """What leaves it open."""
        return tuple(map(key, self.ruleset.tables["guards"]["hedging_phrases"]))

    @cached_property
    def directions(self) -> tuple[frozenset[str], ...]:
        """Pairs of which a list is under one: first up and down, then sensitive and resistant."""
        return tuple(frozenset(map(str, pair)) for pair in self.ruleset.tables["guards"]["directions"])

    @cached_property
    def compared_qualities(self) -> frozenset[str]:
        """In what one is more than the other ("dễ hơn", "nhiều hơn")."""
        return self._set("compared_qualities")

    @cached_property
    def forbidding_titles(self) -> tuple[tuple[str, ...], ...]:
        """How a label begins that forbids what stands under it."""
        return tuple(map(key, self.ruleset.tables["guards"]["forbidding_titles"]))

    @cached_property
    def asking_words(self) -> frozenset[str]:
        """Words before a question inside a sentence ("hỏi xem có dị ứng không")."""
        return self._set("asking_words")

    @cached_property
    def example_phrases(self) -> frozenset[tuple[str, ...]]:
        """Phrases with a negator that only give an example ("chẳng hạn")."""
        return frozenset(map(key, self.ruleset.tables["guards"]["example_phrases"]))

    @cached_property
    def universal_phrases(self) -> tuple[tuple[str, ...], ...]:
        """What makes a statement hold for all."""
        return tuple(map(key, self.ruleset.tables["guards"]["universal_phrases"]))

    @cached_property
    def cautious_phrases(self) -> tuple[tuple[str, ...], ...]:
        """What asks for caution and so permits."""
        return tuple(map(key, self.ruleset.tables["guards"]["cautious_phrases"]))

    @cached_property
    def following_phrases(self) -> tuple[tuple[str, ...], ...]:
        """What leads from one dose to the one after it in time."""
        return tuple(map(key, self.ruleset.tables["guards"]["following_phrases"]))

    @cached_property
    def transitions(self) -> frozenset[str]:
        """Words that lead over to another route."""
        return self._set("transitions")

    @cached_property
    def universal_words(self) -> frozenset[str]:
        """Words of a label that holds for all ("Tối đa mọi đường:")."""
        return self._set("universal_words")

    @cached_property
    def wider_things(self) -> dict[str, frozenset[str]]:
        """Name of a thing -> the narrower ones that it may be said for ("tiêu hóa" for "dạ dày")."""
        return {name: frozenset(narrower) for name, narrower in self.ruleset.tables["guards"]["wider_things"].items()}

    @cached_property
    def renal_thing(self) -> str:
        """The thing that a measured clearance is about."""
        return str(self.ruleset.tables["guards"]["renal_thing"])

    @cached_property
    def joining_words(self) -> frozenset[str]:
        """Words before a drug that is given as well ("phối hợp với")."""
        return self._set("joining_words")

    @cached_property
    def case_openers(self) -> tuple[tuple[str, ...], ...]:
        """What opens a sentence with the case that it is about."""
        return tuple(map(key, self.ruleset.tables["guards"]["case_openers"]))

    @cached_property
    def moment_words(self) -> frozenset[str]:
        """Words before "khi" with which it is a moment and no case."""
        return self._set("moment_words")

    @cached_property
    def both_words(self) -> frozenset[str]:
        """Words that, said twice, join two things of which both must be true."""
        return self._set("both_words")

    @cached_property
    def period_openers(self) -> frozenset[str]:
        """Words before a period ("mỗi tuần", "hàng ngày")."""
        return self._set("period_openers")

    @cached_property
    def no_topics(self) -> frozenset[str]:
        """Words of a label that name no case of their own ("Trẻ em, chung")."""
        return self._set("no_topics")

    @cached_property
    def context_fillers(self) -> frozenset[str]:
        """Words that change nothing between a word and what it is said of ("giảm tác dụng hạ áp")."""
        return self._set("context_fillers")

    @cached_property
    def obligations(self) -> frozenset[str]:
        """Words that leave no choice."""
        return self._set("obligations")

    @cached_property
    def spray_words(self) -> frozenset[str]:
        """Verbs of sprays: what is done so many times is so many sprays."""
        return self._set("spray_words")

    @cached_property
    def purpose_words(self) -> frozenset[str]:
        """Words before "tránh" that make it a purpose ("để tránh phản ứng")."""
        return self._set("purpose_words")

    @cached_property
    def collective_openers(self) -> tuple[tuple[str, ...], ...]:
        """Phrases that open an item which holds for all groups before it ("tất cả ngày 3 - 4 lần")."""
        return tuple(map(key, self.ruleset.tables["guards"]["collective_openers"]))

    @cached_property
    def contextual_kinds(self) -> frozenset[str]:
        """Kinds of things that a block may leave to its context."""
        return self._set("contextual_kinds")

    @cached_property
    def limits_when_forbidden(self) -> frozenset[str]:
        """First words of a lower bound that is an upper one where the clause forbids going there."""
        return self._set("limits_when_forbidden")

    @cached_property
    def caption_words(self) -> frozenset[str]:
        """What the title of a table begins with."""
        return self._set("caption_words")

    @cached_property
    def route_openers(self) -> frozenset[str]:
        """Words that open a sentence with the route it is about."""
        return self._set("route_openers")

    @cached_property
    def figure_borders(self) -> frozenset[str]:
        """What ends the surroundings of a figure."""
        return self._set("figure_borders")

    @cached_property
    def comparison_borders(self) -> frozenset[str]:
        """What ends the second side of a comparison."""
        return self._set("comparison_borders")

    @cached_property
    def reaching_words(self) -> frozenset[str]:
        """Words that lead up to a figure as to a limit."""
        return self._set("reaching_words")

    @cached_property
    def explaining(self) -> frozenset[tuple[str, ...]]:
        """Phrases that begin an explanation of the dose before it."""
        return frozenset(map(key, self.ruleset.tables["guards"]["explaining"]))

    @cached_property
    def per_words(self) -> frozenset[str]:
        """Words that say what a unit is per, as "/" does."""
        return self._set("per_words")

    @cached_property
    def group_openers(self) -> frozenset[str]:
        """Words between a figure and the group it is for."""
        return self._set("group_openers")

    @cached_property
    def empty_words(self) -> frozenset[str]:
        """Words that never show support."""
        return self._set("function_words")

    @cached_property
    def dosing_words(self) -> frozenset[str]:
        """Words of dosing in general."""
        return self._set("dosing_words")

    @cached_property
    def same_words(self) -> dict[str, str]:
        """Word -> the word it is compared as."""
        return {word: group[0] for group in self.ruleset.tables["guards"]["same_words"] for word in group}

    @cached_property
    def same_phrases(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """Phrase of several words -> the one word it is compared as, longest first."""
        phrases = [(key(phrase), str(word)) for phrase, word in self.ruleset.tables["guards"]["same_phrases"].items()]
        return tuple(sorted(phrases, key=lambda entry: -len(entry[0])))

    @cached_property
    def antonyms(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Word and its reverse, both ways round."""
        pairs = [(key(a), key(b)) for side, other in self.ruleset.tables["guards"]["antonyms"] for a in side for b in other]
        return tuple(pairs + [(b, a) for a, b in pairs])

    @cached_property
    def same_side(self) -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """Word of a pair of opposites -> the words of its side ("làm tăng", "kéo dài")."""
        sides = [tuple(map(key, side)) for pair in self.ruleset.tables["guards"]["antonyms"] for side in pair]
        found: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
        for side in sides:
            for word in side:
                found[word] = found.get(word, ()) + side
        return found

    @cached_property
    def ranking_fillers(self) -> frozenset[str]:
        """Words of a ranking that the block may leave out."""
        return self._set("ranking_fillers")

    @cached_property
    def antonyms_by_first(self) -> dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]:
        """First word -> the pairs whose word begins with it."""
        by_first: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        for word, reverse in self.antonyms:
            by_first.setdefault(word[0], []).append((word, reverse))
        return by_first

    @cached_property
    def contraries(self) -> tuple[tuple[frozenset[str], tuple[tuple[str, ...], ...]], ...]:
        """Sets of phrases of which only one can be true of a thing, longest phrases first; before each the first words of its phrases."""
        groups = [tuple(sorted(map(key, group), key=len, reverse=True)) for group in self.ruleset.tables["guards"]["contraries"]]
        return tuple((frozenset(phrase[0] for phrase in group), group) for group in groups)

    @cached_property
    def soft_bounds(self) -> frozenset[tuple[str, ...]]:
        """Bounds that a text may leave out without saying anything else."""
        return frozenset(map(key, self.ruleset.tables["guards"]["soft_bounds"]))

    @cached_property
    def synonyms(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """Groups of phrases of which one supports the others."""
        return tuple(tuple(map(key, group)) for group in self.ruleset.tables["guards"]["synonyms"])

    @cached_property
    def negated_synonyms(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """Those groups in which one phrase has a negator ("không đổi" is "nguyên dạng")."""
        return tuple(group for group in self.synonyms if any(self.negator_words & set(phrase) for phrase in group))

    @cached_property
    def comparing_words(self) -> frozenset[str]:
        """Words behind which stands what something is compared with."""
        return self._set("comparing_words")

    @cached_property
    def long_syllables(self) -> frozenset[str]:
        """Vietnamese syllables of six letters without any mark."""
        return self._set("long_syllables")

    @cached_property
    def rare_words(self) -> frozenset[str]:
        """Words that keep a "hiếm khi" of the block."""
        return self._set("rare_words")

    @cached_property
    def permissions(self) -> tuple[tuple[str, ...], ...]:
        """Phrases that say to use a drug."""
        return tuple(map(key, self.ruleset.tables["guards"]["permissions"]))

    @cached_property
    def allowances(self) -> tuple[tuple[str, ...], ...]:
        """Phrases right behind which stands what is allowed."""
        return tuple(map(key, self.ruleset.tables["guards"]["allowances"]))

    @cached_property
    def own_course_words(self) -> frozenset[str]:
        """Words of what happens of itself or ends with a time: told with "trong vòng" as with "sau"."""
        return self._set("own_course_words")

    @cached_property
    def no_permission_behind(self) -> frozenset[str]:
        """Words behind which such a phrase tells what is going on ("người đang dùng thuốc")."""
        return self._set("no_permission_behind")

    @cached_property
    def effect_words(self) -> frozenset[str]:
        """Words that say that something has an effect, whichever."""
        return self._set("effect_words")

    @cached_property
    def quiet_negators(self) -> frozenset[str]:
        """Words whose next word is as good as negated ("hết triệu chứng")."""
        return self._set("quiet_negators")

    @cached_property
    def plain_negators(self) -> frozenset[str]:
        """Words that negate wherever they stand."""
        return self._set("plain_negators")

    @cached_property
    def condition_markers(self) -> frozenset[str]:
        """Words that open a phrase of whom or what for."""
        return self._set("condition_markers")

    @cached_property
    def person_markers(self) -> frozenset[str]:
        """Those of them that say in whom ("ở bệnh nhân nghiện rượu")."""
        return self._set("person_markers")

    @cached_property
    def heading_words(self) -> frozenset[str]:
        """Words of headings: they tell no statement from another."""
        return self._set("heading_words")

    @cached_property
    def no_ranking_before(self) -> frozenset[str]:
        """Words before "nhất" that count or measure."""
        return self._set("no_ranking_before")

    @cached_property
    def gap_words(self) -> frozenset[str]:
        """Words before a reassurance that make it a warning, a gap or a property."""
        return self._set("gap_words")

    @cached_property
    def reassuring_fillers(self) -> frozenset[str]:
        """Words of a reassurance that the block may leave out."""
        return self._set("reassuring_fillers")

    @cached_property
    def abbreviations(self) -> frozenset[str]:
        """Abbreviations that need no support."""
        return self._set("abbreviations")

    @cached_property
    def condition_words(self) -> frozenset[str]:
        """Words that open a condition."""
        return self._set("condition_words")

    @cached_property
    def contrast_words(self) -> frozenset[str]:
        """Words behind which a clause says something else."""
        return self._set("contrast_words")

    @cached_property
    def soft_enders(self) -> frozenset[str]:
        """Words of ``scope_enders`` that a cue reaches over."""
        return self._set("soft_enders")

    @cached_property
    def cue_only_words(self) -> frozenset[str]:
        """Words of a cue that are no statement of their own."""
        return self._set("cue_only_words")

    @cached_property
    def list_joiners(self) -> frozenset[str]:
        """Words that join the last members of a list."""
        return self._set("list_joiners")

    @cached_property
    def list_breakers(self) -> frozenset[str]:
        """Words behind a comma with which a new statement begins."""
        return self._set("list_breakers")

    @cached_property
    def negator_words(self) -> frozenset[str]:
        """Single words that negate."""
        return self._set("negators")

    @cached_property
    def affirming_words(self) -> frozenset[str]:
        """Words that may take a negator's place when a sentence is turned round."""
        return self._set("affirmations")

    @cached_property
    def generic_labels(self) -> frozenset[tuple[str, ...]]:
        """Labels that name no group and no condition."""
        return frozenset(key(label) for label in self.ruleset.tables["guards"]["generic_labels"])
