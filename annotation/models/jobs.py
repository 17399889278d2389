"""Jobs of workers: what is checked, brought in, built or made for somebody, and how far it is."""

from django.db import models

from accounts.models import User
from annotation.models.studies import Study
from annotation.rules.lifecycle import JobState

UNDER_WAY = (JobState.WAITING.value, JobState.RUNNING.value)


class JobKind(models.TextChoices):
    CHECK = "check"
    IMPORT = "import"
    EXPORT = "export"
    REPORT = "report"
    VERIFICATION = "verification"


FOR_ALL = (JobKind.REPORT.value, JobKind.VERIFICATION.value)


class FileJob(models.Model):
    """A file that a worker checks, imports or builds for one account, or what it makes of a study
    `FOR_ALL` who read its figures; forgotten an hour after it.

    `what`: the sort of files, the language of a report, or the values that are verified. `folder`
    is the name under which its file is kept in pieces, and `file_name` what its owner calls a file
    that was brought; that of one that was made is in `result`. An import `follows` the check that
    was looked at. `heartbeat_at` is when its worker was last alive, and `attempts` counts the
    workers that have begun it. `total` is None until it is known. `result` is what the page shows
    of it and may quote the file; `reason` says why it was refused.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="file_jobs")
    kind = models.CharField(max_length=20, choices=JobKind.choices)
    what = models.CharField(max_length=20, blank=True)
    options = models.JSONField(default=dict, blank=True)
    file_name = models.CharField(max_length=200, blank=True)
    folder = models.CharField(max_length=100, blank=True)
    follows = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="followed_by"
    )
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="file_jobs")
    state = models.CharField(
        max_length=10,
        choices=[(state.value, state.value) for state in JobState],
        default=JobState.WAITING.value,
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    cancel_asked_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(null=True, blank=True)
    reason = models.JSONField(null=True, blank=True)
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="job_state_is_known",
                condition=models.Q(state__in=[state.value for state in JobState]),
            ),
            models.CheckConstraint(
                name="job_kind_is_known", condition=models.Q(kind__in=JobKind.values)
            ),
            models.CheckConstraint(
                name="a_job_is_under_way_or_finished",
                condition=models.Q(state__in=UNDER_WAY, finished_at__isnull=True)
                | (~models.Q(state__in=UNDER_WAY) & models.Q(finished_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="a_running_job_has_a_heartbeat",
                condition=~models.Q(state="running") | models.Q(heartbeat_at__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["follows"],
                condition=models.Q(state__in=[*UNDER_WAY, "done"]),
                name="a_checked_file_is_imported_once",
            ),
            models.UniqueConstraint(
                fields=["study", "asked_by"],
                condition=models.Q(kind="export", state__in=UNDER_WAY),
                name="one_export_at_a_time_an_account",
            ),
            models.UniqueConstraint(
                fields=["study", "kind", "what"],
                condition=models.Q(kind__in=FOR_ALL, state__in=UNDER_WAY),
                name="made_for_all_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"file job {self.pk}"

    @property
    def name_made(self) -> str:
        """What the file is called that it made; jobs of versions before have it where what is brought
        has its name."""
        return str(self.result.get("name", self.file_name))

    @property
    def is_under_way(self) -> bool:
        return self.state in UNDER_WAY


class FilePiece(models.Model):
    """A piece of a file on its way from one host to another: all but the last are equally long.

    No job need name the `folder` yet; what none names an hour after `kept_at` is removed, unless
    that is None: then it stays.
    """

    folder = models.CharField(max_length=300)
    number = models.PositiveIntegerField()
    content = models.BinaryField()
    kept_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["folder", "number"], name="a_piece_of_a_file_is_kept_once"
            ),
        ]

    def __str__(self) -> str:
        return f"piece {self.number} of {self.folder}"
