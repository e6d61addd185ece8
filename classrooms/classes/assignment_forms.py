"""Forms for assignments, one for each kind of task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from classrooms.classes.assignments import MOST
from classrooms.models import Enrolment, Group, Task
from lessons.course.units import course
from lessons.progress.mastery import Level
from lessons.skills import Skill
from lessons.words import LEVELS, SKILLS

Choices = Iterable[tuple[str | int, str | Promise]]


def _units() -> Choices:
    return [(unit.slug, unit.title) for unit in course()]


class AssignForm(forms.Form):
    """The fields that all assignments share: for whom and until when. Subclasses add what's assigned."""

    task: Task
    title: str | Promise

    whom = forms.ChoiceField(label=_("For"), required=False)
    due_on = forms.DateField(
        label=_("Due on (if you like)"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, groups: Iterable[Group], enrolments: Iterable[Enrolment], data: Any = None) -> None:
        super().__init__(data, auto_id=f"{self.task}-%s")
        self.groups = {f"group-{each.pk}": each for each in groups}
        self.students = {f"student-{each.pk}": each for each in enrolments}
        whom = self.fields["whom"]
        if isinstance(whom, forms.ChoiceField):
            choices: list[Any] = [("", _("the whole class"))]
            if self.groups:
                choices.append((_("A group"), [(key, each.name) for key, each in self.groups.items()]))
            names = [(key, each.real_name or each.student.display_name) for key, each in self.students.items()]
            whom.choices = [*choices, (_("A student"), names)] if names else choices
        self.order_fields(["what", "amount", "whom", "due_on"])

    def asked(self) -> dict[str, Any]:
        """The arguments for `assign`."""
        data = self.cleaned_data
        return {
            "task": self.task,
            "what": data.get("what", ""),
            "amount": data.get("amount", 1),
            "group": self.groups.get(data["whom"]),
            "enrolment": self.students.get(data["whom"]),
            "due_on": data["due_on"],
        }


class AssignUnitForm(AssignForm):
    task = Task.UNIT
    title = _("A unit")
    what = forms.ChoiceField(label=_("Unit"), choices=_units)


class SkillForm(AssignForm):
    task = Task.SKILL
    title = _("A skill")
    what = forms.ChoiceField(label=_("Skill"), choices=[(skill.value, SKILLS[skill]) for skill in Skill])
    amount = forms.TypedChoiceField(
        label=_("Until it is"),
        coerce=int,
        choices=[(int(level), LEVELS[level]) for level in (Level.GROWING, Level.SURE, Level.MASTERED)],
        initial=int(Level.SURE),
    )


class BoardsForm(AssignForm):
    task = Task.BOARDS
    title = _("Boards")
    amount = forms.IntegerField(label=_("How many boards"), min_value=1, max_value=MOST, initial=10)


class DailyForm(AssignForm):
    task = Task.DAILY
    title = _("The daily puzzle")
    amount = forms.IntegerField(label=_("On how many days"), min_value=1, max_value=MOST, initial=1)


FORMS: dict[str, type[AssignForm]] = {form.task: form for form in (AssignUnitForm, SkillForm, BoardsForm, DailyForm)}
