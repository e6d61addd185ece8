"""Operators of the site look at data in the admin, and the log says at which."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('classrooms', '0020_visitors'),
    ]

    operations = [
        migrations.AddField(
            model_name='auditentry',
            name='what',
            field=models.CharField(blank=True, db_default='', default='', max_length=40),
        ),
        migrations.AlterField(
            model_name='auditentry',
            name='action',
            field=models.CharField(choices=[('made-class', 'made the class'), ('changed-class', 'changed the class'), ('archived-class', 'archived the class'), ('restored-class', 'brought the class back from the archive'), ('invited-teacher', 'invited a teacher'), ('canceled-invitation', 'canceled an invitation'), ('joined-as-teacher', 'joined as a teacher'), ('removed-teacher', 'removed a teacher'), ('added-student', 'added a student'), ('changed-student', 'changed a student'), ('reset-student', 'gave a student new pictures and a new card'), ('renewed-cards', 'gave all students new pictures and new cards'), ('moved-student', 'moved a student to another class'), ('removed-student', 'removed a student from the class'), ('offered-student', 'offered a student to another class'), ('declined-student', 'ended the offer of a student'), ('let-new-devices-in', 'let new devices sign in'), ('guessed-pictures', 'wrong pictures were tried too often'), ('imported-roster', 'read in a roster'), ('printed-cards', 'printed login cards'), ('saw-pictures', "looked at a student's pictures"), ('made-code', 'made a code for a guardian'), ('linked-guardian', 'linked a guardian'), ('unlinked-guardian', "ended a guardian's link"), ('made-child', "made a child's account"), ('failed-sign-in', 'tried a wrong password'), ('failed-second-step', 'tried a wrong code after the right password'), ('slowed-sign-in', 'was held up after too many tries to sign in'), ('exported', 'took out data'), ('deleted', 'deleted'), ('undeleted', 'undid a deletion'), ('purged', 'removed for good'), ('backed-up', 'made a backup'), ('listed', 'looked at a list as an operator of the site'), ('viewed', 'looked at data as an operator of the site'), ('changed', 'changed data as an operator of the site')], max_length=30),
        ),
    ]
