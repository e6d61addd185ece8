"""Start the site's own server, with views and streams for baselines added: `python -m tools.bench.server PORT`.

It reads the same environment variables as the site; `tools.bench.site` gives it a data folder of its own.
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
    # All benchmark clients come from one machine, and a thousand of them may watch one table.
    most = sys.maxsize
    streams.limits = streams.StreamLimits(of_seat=most, of_topic_and_address=most, of_address=most, total=most)
    # Moves are still counted, but a benchmark plays faster than any person.
    limits.MOVES = replace(limits.MOVES, most=sys.maxsize)
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    bench_server = server(port=port)
    # Pass the name, because the site looks for its static files when it's imported.
    bench_server.config.app = "tools.bench.app:application"
    # Guests wait for their turn longer than a server keeps a browser's idle connection.
    bench_server.config.timeout_keep_alive = 600
    bench_server.run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
