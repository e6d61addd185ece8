"""The app's name for Django."""

from django.apps import AppConfig


class ClassroomsConfig(AppConfig):
    name = "classrooms"

    def ready(self) -> None:
        from classrooms.accounts.signing_in import trusts  # noqa: PLC0415
        from classrooms.live.playing import may_watch  # noqa: PLC0415 (models are there only now)
        from games.access import allow_watching  # noqa: PLC0415
        from games.codes import trust  # noqa: PLC0415

        allow_watching(may_watch)
        trust(trusts)
        from allauth.account.signals import email_added, password_reset  # noqa: PLC0415
        from django.contrib.auth.signals import user_logged_in  # noqa: PLC0415

        from classrooms.accounts.known_browsers import note_sign_in  # noqa: PLC0415
        from classrooms.accounts.sign_up import note_time, tell_of_new_address  # noqa: PLC0415

        user_logged_in.connect(note_time, dispatch_uid="classrooms.accounts.sign_up")
        email_added.connect(tell_of_new_address, dispatch_uid="classrooms.accounts.sign_up")
        user_logged_in.connect(note_sign_in, dispatch_uid="classrooms.accounts.known_browsers")
        password_reset.connect(note_sign_in, dispatch_uid="classrooms.accounts.known_browsers")
