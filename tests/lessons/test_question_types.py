"""Only a question type's own class knows how it works: no other code checks for kinds."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from lessons.course.units import course
from lessons.models import LearningEvent
from lessons.printing.tasks import TASKS
from lessons.questions import EXERCISES, AnswerFault, BadAnswer, Question, exercise, make_exercise
from lessons.questions.course import CourseQuestion, StepQuestion
from lessons.sheets import KINDS
from lessons.skills import ExerciseKind, Wanted

ROOT = Path(__file__).parent.parent.parent
APPS = ["core", "games", "lessons", "classrooms", "setsite"]

DEFENSIBLE = {
    # The layout on paper, which needs the printing library.
    "lessons/printing/tasks.py": 1,
    # Demo children, who answer each kind in their own way.
    "classrooms/demo_learning.py": 1,
}


def subclasses(of: type) -> set[type]:
    return {of}.union(*map(subclasses, of.__subclasses__()))


QUESTIONS = {each.__name__ for each in subclasses(Question) | subclasses(StepQuestion)}


def kinds_in(node: ast.AST, names: set[str]) -> bool:
    """Whether the code refers to an exercise kind, under any imported name."""
    return any(
        isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        and each.attr.isupper()
        for each in ast.walk(node)
    )


def is_switch(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Compare():
            return any(kinds_in(each, names) for each in (node.left, *node.comparators))
        case ast.Dict():
            return any(kinds_in(key, names) for key in node.keys if key)
        case ast.Set() | ast.List() | ast.Tuple():
            return any(isinstance(each, ast.Attribute) and kinds_in(each, names) for each in node.elts)
        case ast.MatchValue():
            return kinds_in(node, names)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, what]):
            return any(isinstance(each, ast.Name) and each.id in QUESTIONS for each in ast.walk(what))
        case ast.MatchClass(cls=ast.Name(id=name)):
            return name in QUESTIONS
    return False


def switches_in(source: str) -> int:
    tree = ast.parse(source)
    imports = [each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    names = {name.asname or name.name for each in imports for name in each.names if name.name == "ExerciseKind"}
    return sum(is_switch(node, names) for node in ast.walk(tree))


def test_nothing_but_a_question_asks_which_kind_it_is():
    found: Counter[str] = Counter()
    for file in (file for app in APPS for file in (ROOT / app).rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        if not path.startswith("lessons/questions/") and (count := switches_in(file.read_text(encoding="utf-8"))):
            found[path] = count
    assert dict(found) == DEFENSIBLE


def test_no_template_asks_which_kind_a_question_is():
    asks = re.compile(r'kind\.value [!=]=|question\.(?:kind|name) [!=]= "(?!look")')
    files = list((ROOT / "templates").rglob("*.html"))
    assert len(files) > 100
    assert not [file.name for file in files if asks.search(file.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    "source",
    [
        "if wanted.kind is ExerciseKind.IS_SET: pass",
        "if attempt.kind == ExerciseKind.IS_SET: pass",
        "if kind in {ExerciseKind.IS_SET, ExerciseKind.ANY_SET}: pass",
        "READERS = {ExerciseKind.IS_SET: 1}",
        "match kind:\n    case ExerciseKind.IS_SET: pass",
        "isinstance(question, Look | Scene)",
        "match question:\n    case Scene(do='set'): pass",
    ],
)
def test_every_way_to_ask_is_seen(source):
    assert switches_in(f"from lessons.skills import ExerciseKind\n{source}")
    renamed = source.replace("ExerciseKind", "Kinds")
    assert switches_in(f"from lessons.skills import ExerciseKind as Kinds\n{renamed}")


def test_every_kind_has_its_class_and_every_sheet_its_task():
    assert {kind: each.kind for kind, each in EXERCISES.items()} == {kind: kind for kind in ExerciseKind}
    assert tuple(TASKS) == KINDS


QUESTIONS_ASKED = [make_exercise(Wanted(kind, 2), "any") for kind in ExerciseKind]
QUESTIONS_ASKED += [
    step.question.for_class("seed", 0)
    for unit in course()
    for step in unit.steps
    if isinstance(step.question, CourseQuestion)
]


@pytest.mark.parametrize("question", QUESTIONS_ASKED, ids=lambda question: question.name)
def test_every_question_has_a_template_of_its_own_with_a_picture_for_the_wall(question):
    template = (ROOT / "templates" / question.template).read_text(encoding="utf-8")
    assert "{% partialdef picture %}" in template
    assert ("{% partialdef ask inline %}" in template) is (question.kind is not None)


class NoForm:
    """The form of a browser that sends nothing."""

    def get(self, key):
        return None

    def getlist(self, key):
        return []


@pytest.mark.parametrize("question", QUESTIONS_ASKED, ids=lambda question: question.name)
def test_an_empty_form_is_read_and_refused_only_when_it_is_graded(question):
    answer = question.read(NoForm())
    if question.choices_with_one_tap():
        with pytest.raises(BadAnswer) as error:
            question.grade(answer)
        assert error.value.reason is AnswerFault.NOT_ANSWERED


@pytest.mark.parametrize("question", QUESTIONS_ASKED, ids=lambda question: question.name)
def test_of_the_answers_with_one_tap_the_right_one_is_shown_as_the_solution(question):
    choices = question.choices_with_one_tap()
    if choices:
        assert any(each.is_right for each in choices)
        assert all(question.grade({each.name: each.answer}).is_right is each.is_right for each in choices)
        assert question.shown_solution().right in {None, *(each for each in choices if each.is_right)}


# An exercise is made once


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """Records the seeds of all exercises made from now on."""
    exercise.cached_exercise.cache_clear()
    seeds: list[str] = []
    for kind in EXERCISES.values():
        make = kind.make.__func__

        def noted(cls, wanted, seed, make=make):
            seeds.append(seed)
            return make(cls, wanted, seed)

        monkeypatch.setattr(kind, "make", classmethod(noted))
    return seeds


@pytest.mark.django_db
def test_a_request_makes_its_exercise_once(client, made):
    page = client.get("/learn/practice/")
    assert len(made) == 1
    exercise.cached_exercise.cache_clear()
    made.clear()
    client.post("/learn/practice/", {"ticket": page.context["ticket"], "yes": "1"})
    assert LearningEvent.objects.count() == 1
    assert len(made) == 1
