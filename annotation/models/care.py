"""What a study does for those who read what is hard to read."""

from django.db import models

from annotation.models.rounds import Assignment
from annotation.models.studies import Study


class Care(models.Model):
    """When breaks are offered, how much heavy reading a day holds, and where support is found.

    An item is heavy if it has a content note. 0: no break is offered; None: a day has no end.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="care")
    break_after = models.PositiveSmallIntegerField(default=0)
    most_a_day = models.PositiveSmallIntegerField(null=True, blank=True)
    support = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"care {self.pk}"


class PassedOn(models.Model):
    """Somebody would rather not rate an item: it is not given to them again.

    No reason, no time, and nobody is shown whose it was; studies are told how many there are.
    """

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="passed_on"
    )

    class Meta:
        verbose_name_plural = "passed on"

    def __str__(self) -> str:
        return f"passed on {self.pk}"
