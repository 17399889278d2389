"""What programs sign in with."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.users import User


class Scope(models.TextChoices):
    """What a program may do with a token, of what its account may."""

    READ = "read", _("Read studies, rounds, runs and figures")
    WORK = "work", _("Rate items: read what is to be rated, and submit")
    RELEASE = "release", _("Read ratings and gold; build releases and download them")
    PEOPLE = "people", _("Read who is on the team, and who may see what")
    STEER = "steer", _("Change teams, open and close rounds, set items aside, rule on disclosure")
    ADJUDICATE = "adjudicate", _("Adjudicate: read what raters disagree on, and decide it")
    BRING = "bring", _("Bring in items, ratings and lists")
    WRITE = "write", _("Publish editions of rubrics, and go on under them")
    JUDGE = "judge", _("Start, pace and end runs of judges; prompts, replies, sentinels, juries")
    GRANT = "grant", _("Ask for levels of data sets, and decide about them")
    ADMIT = "admit", _("Decide who is let in, suspend accounts, set roles on the server")


class ApiToken(models.Model):
    """A program signs in with it, for some time; only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=100)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope.choices))
    sha256 = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"token {self.pk}"


class ApiWrite(models.Model):
    """What a program was answered to a write that it may send again, for a day."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_writes")
    key_sha256 = models.CharField(max_length=64)
    sent_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    answer = models.JSONField(default=dict)
    written_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key_sha256"], name="a_write_is_done_once")
        ]
        indexes = [models.Index(fields=["written_at"], name="writes_by_time")]

    def __str__(self) -> str:
        return f"write {self.pk}"
