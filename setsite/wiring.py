"""Connects the layers: which function listens to which signal, and which rules are injected into the apps.

An app imports only from the layers below, so where a lower layer has to call a higher one, the function is registered
here. Three things stand elsewhere: the hubs of live screens listen only while the server runs, see `start` of their
topic types; Celery's own signals (`setsite.celery`) come before Django is set up; and modules named `jobs`, which
import heavy libraries, are only discovered when a job is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from allauth.account.signals import email_added, password_reset
from django.conf import settings
from django.contrib.auth.signals import user_logged_in

from classrooms import ownership as classrooms
from classrooms.accounts import devices, known_browsers, sign_up
from classrooms.accounts.signing_in import trusts
from classrooms.live import changes, playing
from core import actors, mail
from core import ownership as core
from core.handoff import HandOff
from core.jobs import queue
from core.live.bus import bus
from core.tasks import run_next_job, send_mail
from games import access, codes
from games import ownership as games
from games.matches import service as matches
from lessons import ownership as lessons
from lessons.signals import bring_what_the_guest_owns

publishing = HandOff("publish")
"""The thread that sends messages to the broker."""


def connect() -> None:
    """Register everything. Called once in every process, when the models are loaded."""
    for app in (core, games, lessons, classrooms):
        actors.register(*app.OWNERSHIPS)
    _connect_sign_in()
    _connect_permissions()
    _connect_queues()
    if bus.is_shared:
        _tell_other_processes()


def _connect_sign_in() -> None:
    user_logged_in.connect(bring_what_the_guest_owns, dispatch_uid="bring what the guest owns")
    user_logged_in.connect(sign_up.note_time, dispatch_uid="note the time of a sign-in")
    user_logged_in.connect(known_browsers.note_sign_in, dispatch_uid="know the browser")
    password_reset.connect(known_browsers.note_sign_in, dispatch_uid="know the browser")
    email_added.connect(sign_up.tell_of_new_address, dispatch_uid="tell of a new address")


def _connect_permissions() -> None:
    """A lesson's class may watch its matches, and students who sign in may guess at more codes."""
    access.allow_watching(playing.may_watch)
    codes.trust(trusts)
    codes.find_voucher(devices.voucher_of)


def _connect_queues() -> None:
    def publish(work: Callable[[], object]) -> None:
        """Without a broker, do it now; with one, in the background, since whatever is lost is found again."""
        work() if settings.IS_BROKERLESS else publishing.put(work)

    queue.on_enqueue(lambda _pk: publish(run_next_job.delay))
    mail.on_queue(partial(publish, send_mail.delay))


def _tell_other_processes() -> None:
    """Tell the other web processes what this one has changed."""
    matches.on_change(lambda written: bus.tell("match", written.match.code, written.match.version))
    changes.on_change(partial(bus.tell, "session"))
    changes.on_seat_closed(partial(bus.tell, "session seat closed"))
    access.on_rights_changed(partial(bus.tell, "rights"))
