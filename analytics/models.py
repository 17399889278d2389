"""Figures as they were computed, and files that left."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import User
from annotation.models import FileJob, Study
from judging.models import JudgeRun


class Snapshot(models.Model):
    """One part of what is known of a study, in one view, at one revision of its ratings.

    `edition` is the fingerprint of how it was computed: under another one it is computed anew.
    `has_earlier`: some of its figures, which say so, are of earlier ratings and are being worked out.
    `mark`: that of the session of the database in which the application wrote it.
    `piece`: of lines that are kept by themselves; the row without one names all such `pieces`.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshots")
    part = models.CharField(max_length=30)
    with_off_scale = models.BooleanField()
    with_quarantined = models.BooleanField()
    revision = models.PositiveBigIntegerField()
    edition = models.PositiveIntegerField()
    computed_at = models.DateTimeField()
    has_earlier = models.BooleanField(default=False)
    report = models.JSONField()
    mark = models.CharField(max_length=64, blank=True)
    piece = models.TextField(default="", blank=True)
    pieces = ArrayField(models.TextField(), default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "part", "with_off_scale", "with_quarantined", "piece"],
                name="one_snapshot_a_view",
            )
        ]

    def __str__(self) -> str:
        return f"snapshot {self.pk}"


class Change(models.Model):
    """What was rated or decided anew since the columns of its study were packed.

    Triggers write these rows, for whoever changes ratings, gold or items by whatever way. Rater 0
    stands for gold, item 0 for the whole study.
    """

    study_id = models.BigIntegerField(db_index=True)
    item_id = models.BigIntegerField()
    rater_id = models.BigIntegerField()

    def __str__(self) -> str:
        return f"change {self.pk}"


class PackedStudy(models.Model):
    """The items of a study, and the words that codes in its columns stand for."""

    study = models.OneToOneField(
        Study, primary_key=True, on_delete=models.CASCADE, related_name="packed"
    )
    edition = models.PositiveIntegerField()
    items = models.BinaryField()
    words = models.JSONField()

    class Meta:
        verbose_name_plural = "packed studies"

    def __str__(self) -> str:
        return f"packed study {self.pk}"


class PackedColumn(models.Model):
    """All answers of one rater at one repeat, as codes; rater 0 stands for gold."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="packed_columns")
    rater_id = models.BigIntegerField()
    repeat = models.PositiveIntegerField()
    cells = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "rater_id", "repeat"], name="one_column_a_repeat"
            )
        ]

    def __str__(self) -> str:
        return f"packed column {self.pk}"


class BroughtPolicy(models.Model):
    """Rules that a study brought as a file of its own, word for word; never changed."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="brought_policies")
    file_name = models.CharField(max_length=200)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    brought_at = models.DateTimeField()
    brought_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "brought policies"
        constraints = [
            models.UniqueConstraint(fields=["study", "sha256"], name="a_policy_is_brought_once")
        ]

    def __str__(self) -> str:
        return f"brought policy {self.pk}"


class FixedPolicy(models.Model):
    """Rules that a study fixed for its trust cards, word for word; the newest counts.

    `key`: of the policy as it came with Concord, else the begin of `sha256`. `n_judged`: how many
    submissions by judges there were, so that everybody sees whether the rules came before the
    results. Never changed.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="fixed_policies")
    key = models.CharField(max_length=60)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    n_judged = models.PositiveBigIntegerField()
    fixed_at = models.DateTimeField()
    fixed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "fixed policies"

    def __str__(self) -> str:
        return f"policy {self.pk}"


class SealedVerdicts(models.Model):
    """The trust cards of a study at a planned look, as they were then; never changed.

    `content`: a text of JSON with the cards, the rules and what they rest on, named by `sha256`;
    `data_sha256`: of the ratings at `revision` (`analytics.ratings.matrices.digest`).
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="sealed_verdicts")
    look = models.PositiveSmallIntegerField()
    policy = models.ForeignKey(FixedPolicy, on_delete=models.PROTECT, related_name="sealed")
    revision = models.PositiveBigIntegerField()
    data_sha256 = models.CharField(max_length=64)
    content = models.TextField()
    sha256 = models.CharField(max_length=64, unique=True)
    concord = models.CharField(max_length=30)
    sealed_at = models.DateTimeField()
    sealed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "sealed verdicts"
        constraints = [
            models.UniqueConstraint(fields=["policy", "look"], name="a_look_is_taken_once")
        ]

    def __str__(self) -> str:
        return f"verdicts sealed at look {self.look}"


class SentinelCheck(models.Model):
    """What came of asking a judge about its sentinels again; never changed.

    `figures`: how many answers could be compared, how many changed, and the limits of that share.
    """

    run = models.OneToOneField(JudgeRun, on_delete=models.PROTECT, related_name="sentinel_check")
    verdict = models.CharField(max_length=20)
    figures = models.JSONField()
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"sentinel check {self.pk}"


class SentinelRuling(models.Model):
    """That a person lets a judge be used on though it failed its sentinels, and why; never changed."""

    check_made = models.OneToOneField(
        SentinelCheck, on_delete=models.PROTECT, related_name="ruling"
    )
    reason = models.TextField()
    ruled_at = models.DateTimeField()
    ruled_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"ruling on sentinel check {self.check_made_id}"


class Jury(models.Model):
    """Several judges of a study that rate as one, and by which rule; only its end is written later.

    Nobody stores what a jury answers: it is worked out of what its members answered
    (`analytics.ratings.juries`). `members`: their raters. `weights`: {criterion: {member: what
    weighed it}}, empty unless votes weigh, and `made_on` the items by which they were made, on which
    it is not measured. `n_seen`: how many answers of members to items that it is measured on were
    in when it was named.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="juries")
    key = models.SlugField(max_length=100)
    name = models.CharField(max_length=100)
    members = ArrayField(models.BigIntegerField())
    rule = models.CharField(max_length=20)
    quorum = models.PositiveSmallIntegerField()
    weights = models.JSONField(default=dict)
    made_on = ArrayField(models.BigIntegerField(), default=list)
    n_seen = models.PositiveBigIntegerField()
    named_at = models.DateTimeField()
    named_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    end_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name_plural = "juries"
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="a_jury_has_a_key_once"),
            models.CheckConstraint(
                name="a_jury_ends_with_a_reason",
                condition=models.Q(ended_at=None, end_reason="")
                | models.Q(ended_at__isnull=False) & ~models.Q(end_reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"jury {self.pk}"


class Export(models.Model):
    """A file that left, and the record of what was in it."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="exports")
    exported_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="exports")
    exported_at = models.DateTimeField()
    revision = models.PositiveBigIntegerField()
    manifest = models.JSONField()
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"export {self.pk}"


class DisclosureRuling(models.Model):
    """What somebody ruled who looked at what the tests of a release found; never changed.

    `findings`: in words, as they were then; `digest`: of what was found, whatever the numbers.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="disclosure_rulings")
    digest = models.CharField(max_length=64)
    findings = models.JSONField()
    passes = models.BooleanField()
    reason = models.TextField()
    ruled_at = models.DateTimeField()
    ruled_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"disclosure ruling {self.pk}"


class CopyStatement(models.Model):
    """What somebody signed about copies of releases that they had; never changed.

    `exports`: of which releases; `text`: the words, with all that was filled in.
    """

    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    exports = ArrayField(models.BigIntegerField())
    is_destroyed = models.BooleanField()
    typed_name = models.CharField(max_length=150)
    text = models.TextField()
    text_sha256 = models.CharField(max_length=64)
    signed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"copy statement {self.pk}"


class ReleaseLink(models.Model):
    """A link by which its recipient fetches a release once; the token itself is not kept.

    `used_at`: when it was first opened. What broke off goes on under it until `expires_at`.
    """

    job = models.ForeignKey(FileJob, on_delete=models.CASCADE, related_name="links")
    export = models.ForeignKey(Export, on_delete=models.PROTECT, related_name="links")
    recipient = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    token_sha256 = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"release link {self.pk}"


class Product(models.Model):
    """What a worker made of a study for all who read its figures; a job makes the next one.

    `revision`: that of the ratings it was made from; `concord`: the version that made it.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="%(class)ss")
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    done_at = models.DateTimeField()
    revision = models.PositiveBigIntegerField()
    concord = models.CharField(max_length=30, default="", blank=True)

    class Meta:
        abstract = True


class Writeup(Product):
    """The newest report of a study in a language; `listing` has its files' sizes.

    Each file is kept in pieces under its name in the `folder`, and so are two zips that are handed
    out as they are: all of it, whose `sha256` this is, and what tells no single rating.
    """

    language = models.CharField(max_length=10)
    folder = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64, default="", blank=True)
    listing = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "language"], name="one_writeup_a_language")
        ]

    def __str__(self) -> str:
        return f"write-up {self.pk}"


class Verification(Product):
    """The figures of a study in a view beside what published packages make of the same ratings."""

    with_off_scale = models.BooleanField()
    with_quarantined = models.BooleanField()
    checks = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "with_off_scale", "with_quarantined"],
                name="one_verification_a_view",
            )
        ]

    def __str__(self) -> str:
        return f"verification {self.pk}"
