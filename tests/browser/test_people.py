"""Teachers, children and guardians in a browser, from signing up to cards, pages and letters."""

from __future__ import annotations

import re
from datetime import timedelta

import pypdfium2
import pytest
import zxingcpp
from django.core import mail
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Page, expect

from classrooms.accounts.guardians import make_code
from classrooms.accounts.pictures import NAMES
from classrooms.classes.service import make_class
from classrooms.classes.students import NewStudent, add_students
from classrooms.models import Classroom, Enrolment, User
from classrooms.reports.letters import send_weekly_letters
from games.players import Player
from lessons.progress.recording import finish_step
from lessons.skills import ExerciseKind, Wanted
from tests.lessons.test_learning import keep

PASSWORD = "under the third oval"  # noqa: S105 (nobody's)


def sign_up(page: Page, site: str, name: str, email: str) -> None:
    """Create an account and confirm its email address with the code in the mail."""
    cache.clear()
    page.goto(f"{site}/account/signup/")
    page.get_by_role("group", name="Are you an adult?").get_by_label("Yes").check()
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make my account").click()
    page.wait_for_url("**/account/confirm-email/")
    page.get_by_label("Code").fill(re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", mail.outbox[-1].body, re.MULTILINE)[0])
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/account/")


def addresses_on(pdf: bytes) -> list[str]:
    """The URLs in the QR codes of a printed document."""
    pages = [sheet.render(scale=2).to_pil() for sheet in pypdfium2.PdfDocument(pdf)]
    return [code.text for picture in pages for code in zxingcpp.read_barcodes(picture)]


@pytest.mark.on_engines
def test_a_teacher_gets_from_signing_up_to_a_class_with_printed_cards(site, new_context):
    page = new_context().new_page()
    sign_up(page, site, "Ms. Lund", "lund@school.example")
    page.get_by_role("link", name="I teach").click()
    page.get_by_role("link", name="Make a class").click()
    page.get_by_label("Name of the class").fill("Class 4C")
    page.get_by_label("Who has allowed").fill("The head of school")
    page.get_by_label("The school allows this class").check()
    page.get_by_role("button", name="Make the class").click()
    page.get_by_label("Names", exact=True).fill("Mia Okafor\nBrandt, Noah\nMia Stern")
    page.get_by_role("button", name="See what is added").click()
    expect(page.get_by_role("row", name="Noah")).to_be_visible()
    assert not Enrolment.objects.exists(), "nothing is written before it was seen"
    page.get_by_role("button", name="Put it into the class").click()
    page.wait_for_url(re.compile(r"/students/$"))
    expect(page.get_by_role("row", name="Brandt")).to_be_visible()
    names = set(User.objects.filter(kind="student").values_list("display_name", flat=True))
    assert names == {"Mia", "Noah", "Mia S."}
    cards = page.get_by_role("link", name="Print login cards").get_attribute("href")
    pdf = page.request.get(f"{site}{cards}").body()
    assert pdf.startswith(b"%PDF")
    addresses = addresses_on(pdf)
    assert len(addresses) == 3

    # A child's tablet opens the URL on the card.
    tablet = new_context().new_page()
    tablet.goto(addresses[0])
    tablet.get_by_role("button", name="That's me").click()
    tablet.wait_for_url(f"{site}/learn/")


def class_of(*real_names: str) -> list[Enrolment]:
    teacher = User.objects.create_adult(email="rivera@school.example", display_name="Ms. Rivera")
    classroom = make_class(name="Class 2B", language="en-us", edition="us", authorised_by="The head", by=teacher)
    return add_students(classroom, [NewStudent(real_name=name) for name in real_names], by=teacher)


def tap_pictures(page: Page, slugs: list[str]) -> None:
    for number, slug in enumerate(slugs, 1):
        page.get_by_role("button", name=str(NAMES[slug]), exact=True).click()
        if number < len(slugs):
            expect(page.locator(".tapped-one:not(.is-empty)")).to_have_count(number)


@pytest.mark.on_engines
@pytest.mark.console_errors(r"status of 422 .*/join/")
def test_a_child_comes_in_by_code_name_and_pictures_with_and_without_scripts(site, new_context):
    cache.clear()
    mia = class_of("Mia Okafor", "Noah Brandt")[0]
    for scripts in (True, False):
        page = new_context(java_script_enabled=scripts).new_page()
        page.goto(f"{site}/")
        page.get_by_role("link", name="Join", exact=True).click()
        page.get_by_label("Code").fill(mia.classroom.code.lower())
        page.get_by_role("button", name="Go").click()
        page.get_by_role("link", name="Mia", exact=True).click()
        tap_pictures(page, list(reversed(mia.student.pictures)))
        expect(page.get_by_role("alert")).to_contain_text("try once more")
        tap_pictures(page, mia.student.pictures)
        page.wait_for_url(f"{site}/learn/")
        expect(page.get_by_role("link", name="Mia", exact=True)).to_be_visible()


@pytest.mark.on_engines
@pytest.mark.console_errors(r"status of 422 ")
def test_a_guardian_gets_from_a_code_on_paper_to_the_childs_page_and_a_letter(site, new_context):
    mia = class_of("Mia Okafor")[0]
    player = Player(name="Mia", user=mia.student)
    now = timezone.now()
    last_week = (now - timedelta(days=now.weekday() + 3)).timestamp()
    finish_step(player, "cards", "four-features", now=last_week)
    for number in range(6):
        keep(player, Wanted(ExerciseKind.IS_SET), f"s{number}", right=number % 2 > 0, now=last_week + number)
    code = make_code(mia.student, by=mia.classroom.teachers.get())

    page = new_context().new_page()
    sign_up(page, site, "Mr. Okafor", "okafor@home.example")
    page.get_by_role("link", name="My children").click()
    page.get_by_label("Code on the paper").fill("WRONG-CODES")
    page.get_by_role("button", name="See my child").click()
    expect(page.locator(".errorlist")).to_be_visible()
    page.get_by_label("Code on the paper").fill(code.lower())
    page.get_by_role("button", name="See my child").click()
    page.wait_for_url(f"{site}/family/{mia.student_id}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Mia")
    expect(page.locator("main")).not_to_contain_text("Mia Okafor")
    assert page.locator("main .triple, main .cards, main .card").count() > 0, "something to do together, with cards"

    assert send_weekly_letters(now) == 1
    letter = mail.outbox[-1]
    assert letter.to == ["okafor@home.example"]
    assert "Mia" in letter.body
    stop = re.search(r"/family/letters/\S+/", letter.body)[0]
    anybody = new_context().new_page()
    anybody.goto(f"{site}{stop}")
    anybody.get_by_role("button").first.click()
    expect(anybody.get_by_role("main")).to_contain_text(re.compile("no more|stopped", re.IGNORECASE))
    assert not mia.student.guardian_links.get().wants_letter
    assert Classroom.objects.count() == 1
