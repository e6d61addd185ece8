"""Skills, levels, features and help in words."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from games.rules.cards import Card, Feature, Shape, Value
from games.rules.triples import FeaturePattern
from games.words import FEATURES, THE_FEATURES, card_name, labeled, listed, verdict_words
from lessons.progress.mastery import Level
from lessons.questions import AnswerFault, BadAnswer, Choice, DescribedAnswer, Help, HelpKind, ShownSolution
from lessons.skills import Skill

Text = Promise | str

SKILLS: dict[Skill, Text] = {
    Skill.NUMBER: _("Seeing number"),
    Skill.COLOR: _("Seeing color"),
    Skill.SHADING: _("Seeing shading"),
    Skill.SHAPE: _("Seeing shape"),
    Skill.IS_SET: _("Is it a SET?"),
    Skill.WHICH_BREAKS: _("What breaks it?"),
    Skill.EXPLAIN: _("Explain it"),
    Skill.THIRD_CARD: _("The third card"),
    Skill.FIND_ONE: _("Find a SET"),
    Skill.FIND_ALL: _("Find them all"),
    Skill.ANY_SET: _("Is there one at all?"),
    Skill.DIFFERS_1: _("SETs where one thing differs"),
    Skill.DIFFERS_2: _("SETs where two things differ"),
    Skill.DIFFERS_3: _("SETs where three things differ"),
    Skill.DIFFERS_4: _("SETs where everything differs"),
}
LEVELS: dict[Level, Text] = {
    Level.NEW: _("new"),
    Level.STARTED: _("started"),
    Level.GROWING: _("growing"),
    Level.SURE: _("sure"),
    Level.MASTERED: _("mastered"),
}
VERDICT_KINDS: dict[FeaturePattern, Text] = {
    FeaturePattern.ALL_SAME: _("all the same"),
    FeaturePattern.ALL_DIFFERENT: _("all different"),
    FeaturePattern.TWO_AND_ONE: _("two and one"),
}
# Names of the values where one of them is to be chosen.
VALUES: dict[str, Text] = {
    "one": _("one"),
    "two": _("two"),
    "three": _("three"),
    "red": _("red"),
    "green": _("green"),
    "purple": _("purple"),
    "solid": _("solid"),
    "striped": _("striped"),
    "outlined": _("outlined"),
    Shape.OVAL.value: _("oval"),
    Shape.SQUIGGLE.value: _("squiggle"),
    Shape.DIAMOND.value: _("diamond"),
}

_HELP: dict[HelpKind, Text] = {
    HelpKind.ONE_AT_A_TIME: _("Look at one thing at a time: number, color, shading, shape."),
    HelpKind.LOOK_AT: _("Look at %(feature)s."),
    HelpKind.HOW_IT_STANDS: _("%(verdicts)s."),
    HelpKind.NOT_THIS_ONE: _("This one is fine. %(verdicts)s."),
    HelpKind.ODD_CARD: _("One card is not like the other two: %(cards)s."),
    HelpKind.EVERY_FEATURE: _("%(verdicts)s."),
    HelpKind.VALUE_NEEDED: _("For %(feature)s it must be: %(value)s."),
    HelpKind.THE_CARD: _("It is this one: %(cards)s."),
    HelpKind.TWO_MAKE_A_THIRD: _("Take two cards. Which third one do they need? Is it here?"),
    HelpKind.AMONG_THESE: _("If there is a SET, one is among these: %(cards)s."),
    HelpKind.ONE_CARD: _("This card is in a SET: %(cards)s."),
    HelpKind.TWO_CARDS: _("These two are in a SET: %(cards)s."),
    HelpKind.THE_SET: _("A SET: %(cards)s."),
}


def help_words(stage: Help) -> str:
    """One stage of help in a sentence."""
    if stage.kind is HelpKind.HOW_MANY:
        return sets_words(stage.count or 0)
    return str(_HELP[stage.kind]) % {
        "feature": THE_FEATURES[stage.feature] if stage.feature else "",
        "value": value_name(stage.value) if stage.value is not None else "",
        "verdicts": capfirst(verdict_words(stage.verdicts)),
        "cards": ", ".join(card_name(card) for card in stage.cards),
    }


def sets_words(count: int) -> str:
    return ngettext("There is %(count)s SET here.", "There are %(count)s SETs here.", count) % {"count": count}


def choice_words(choice: Choice) -> str:
    """The label of an answer's button."""
    match choice.means:
        case bool():
            return gettext("Yes") if choice.means else gettext("No")
        case Feature():
            return str(FEATURES[choice.means])
        case Card():
            return card_name(choice.means)
    return value_name(choice.means)


def answer_words(said: DescribedAnswer) -> str:
    """The answer in words, except for picked cards."""
    if said.feature:
        text = gettext("no, because of %(feature)s") % {"feature": THE_FEATURES[said.feature]}
        return str(FEATURES[said.feature]) if said.yes is None else text
    if said.yes is not None:
        return gettext("yes") if said.yes else gettext("no")
    if said.patterns:
        return listed(labeled(FEATURES[each], VERDICT_KINDS[pattern]) for each, pattern in said.patterns.items())
    return str(VALUES.get(said.value, ""))


def solution_words(solution: ShownSolution) -> str:
    """The right answer in words; its cards are shown next to it."""
    if solution.right:
        return choice_words(solution.right)
    if solution.is_set is not None:
        return gettext("It is a SET.") if solution.is_set else gettext("It is not a SET.")
    if solution.triples is not None:
        return sets_words(len(solution.triples)) if solution.triples else gettext("There is no SET here.")
    return solution.say


def value_name(value: Value) -> str:
    return str(VALUES[value.name.lower()])


_REFUSALS: dict[AnswerFault, Text] = {
    AnswerFault.FEWER_THAN_THREE: _("Pick three cards."),
    AnswerFault.MORE_THAN_THREE: _("Pick only three cards."),
    AnswerFault.SAME_CARD_TWICE: _("Pick three different cards."),
    AnswerFault.SAME_SET_TWICE: _("You have found this one already."),
    AnswerFault.CARD_NOT_SHOWN: _("One of these cards is not here."),
}


def refusal(error: BadAnswer) -> str:
    """Why an answer couldn't be graded, in words."""
    return error.words or str(_REFUSALS.get(error.reason, _("Choose your answer first.")))
