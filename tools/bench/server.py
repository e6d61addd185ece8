"""Starts the site's own server with bare things beside the site: `python -m tools.bench.server PORT`.

It takes the environment of any other start of the site; `tools.bench.live` gives it a folder of its own.
"""

import os
import sys
from dataclasses import replace

import django
from django.conf import settings
from django.core.management import call_command


def main(port: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")
    django.setup()
    from core import streams  # noqa: PLC0415
    from games import limits  # noqa: PLC0415 (these need Django to be set up)
    from setsite.server import server  # noqa: PLC0415

    settings.ROOT_URLCONF = "tools.bench.urls"
    # All clients of a bench come from one machine, and a thousand of them may watch one table.
    most = sys.maxsize
    streams.limits = streams.StreamLimits(of_seat=most, of_topic_and_address=most, of_address=most, total=most)
    # The limit is counted as ever, but a bench plays faster than any hand.
    limits.MOVES = replace(limits.MOVES, most=sys.maxsize)
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    own = server(port=port)
    # By its name, since the site looks for its static files when it is loaded.
    own.config.app = "tools.bench.app:application"
    # Guests wait for their turn longer than a browser's connection would be kept.
    own.config.timeout_keep_alive = 600
    own.run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
