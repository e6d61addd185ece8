"""Pictures and second factors were kept in clear: encrypt them, and drop the column that held the pictures."""

from django.db import migrations

from classrooms.accounts.second_factors import PURPOSE, change_secrets
from core.encryption import encrypt
from core.fields import EncryptedListField


def encrypt_all(apps, schema_editor):
    user_model = apps.get_model("classrooms", "User")
    changed = []
    for user in user_model.objects.filter(kind="student").only("pk", "plain_pictures").iterator(chunk_size=500):
        user.pictures = user.plain_pictures
        changed.append(user)
    user_model.objects.bulk_update(changed, ["pictures"], batch_size=500)
    encrypt_second_factors(apps)


def encrypt_second_factors(apps):
    for each in apps.get_model("mfa", "Authenticator").objects.iterator():
        each.data = change_secrets(each.data, lambda text: encrypt(text, purpose=PURPOSE))
        each.save(update_fields=["data"])


class Migration(migrations.Migration):
    dependencies = [
        ("classrooms", "0011_devices_and_hand_overs"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]
    operations = [
        migrations.RenameField("user", "pictures", "plain_pictures"),
        migrations.AddField("user", "pictures", EncryptedListField(blank=True, default=list, purpose="pictures")),
        migrations.RunPython(encrypt_all),
        migrations.RemoveField("user", "plain_pictures"),
    ]
