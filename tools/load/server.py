"""One web process of the site, with baseline views and streams added: `python -m tools.load.server PORT`.

It reads the same environment variables as the site, and needs data that `manage.py prepare` has brought up to date.
"""

import os
import sys

import django
from django.conf import settings

MOST_DEVICES = 1_000


def main(port: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")
    django.setup()
    from classrooms.live import seats  # noqa: PLC0415 (these need Django to be set up)
    from core import streams  # noqa: PLC0415
    from setsite.server import server  # noqa: PLC0415

    settings.ROOT_URLCONF = "tools.bench.urls"
    # All load test clients come from one machine, and a thousand of them may watch one table.
    most = sys.maxsize
    streams.limits = streams.StreamLimits(of_seat=most, of_topic_and_address=most, of_address=most, total=most)
    # The goal is for more devices than the site lets into one session.
    vars(seats)["MOST_ATTENDEES"] = MOST_DEVICES
    web_server = server(port=port)
    # Pass the name, because the site looks for its static files when it's imported.
    web_server.config.app = "tools.load.app:application"
    web_server.run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
