"""One web process of the site, with bare things beside the site: `python -m tools.load.server PORT`.

It takes the environment of any other start of the site, on data that `prepare` has brought up to date.
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
    # All clients of a bench come from one machine, and a thousand of them may watch one table.
    most = sys.maxsize
    streams.limits = streams.StreamLimits(of_seat=most, of_topic_and_address=most, of_address=most, total=most)
    # The goal is for more devices than a class has: the site itself closes the door before.
    vars(seats)["MOST_ATTENDEES"] = MOST_DEVICES
    own = server(port=port)
    # By its name, since the site looks for its static files when it is loaded.
    own.config.app = "tools.load.bare:application"
    own.run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
