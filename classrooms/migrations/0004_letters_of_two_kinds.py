from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classrooms", "0003_sessions")]

    operations = [
        migrations.RemoveConstraint(model_name="letter", name="a_guardian_gets_one_letter_a_week"),
        migrations.RenameField(model_name="letter", old_name="guardian", new_name="reader"),
        migrations.AddField(
            model_name="letter",
            name="kind",
            field=models.CharField(
                choices=[("family", "the guardians' weekly letter"), ("class", "the teacher's Friday summary")],
                default="family",
                max_length=10,
            ),
        ),
        migrations.AddField(model_name="user", name="wants_summary", field=models.BooleanField(default=True)),
        migrations.AddConstraint(
            model_name="letter",
            constraint=models.UniqueConstraint(
                fields=("reader", "kind", "week"), name="a_letter_of_a_kind_comes_once_a_week"
            ),
        ),
    ]
