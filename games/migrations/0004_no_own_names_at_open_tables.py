"""People with an account sat under their own names at tables that anybody could watch: rename those seats."""

from django.db import migrations

# Written out here: a migration does the same whatever the site's list becomes.
_NAMES = ("Brave Badger", "Calm Camel", "Clever Crane", "Fair Falcon", "Happy Hare", "Kind Kiwi", "Lucky Llama", "Wise Whale")


def rename(apps, schema_editor):
    seat_model = apps.get_model("games", "Seat")
    shown = seat_model.objects.filter(match__way="together", user__isnull=False)
    changed = []
    for seat in shown.only("pk", "number", "name").iterator(chunk_size=500):
        # A table has at most eight seats, so no two of them get the same name.
        seat.name = f"{_NAMES[seat.number % len(_NAMES)]} {seat.number + 1}"
        changed.append(seat)
    seat_model.objects.bulk_update(changed, ["name"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("games", "0003_strength_choices")]
    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
