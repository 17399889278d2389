"""LLMs that write the replies."""

from django.db import models

from accounts.models import User
from annotation.models import Study
from judging.models.judges import Judge


class Generation(models.Model):
    """Replies that several generators write to the same conversations, each in a run of its own.

    `seed` decides order and keys of the items that are made of them. Once they are `taken_in`
    nothing is asked for it any more.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="generations")
    seed = models.CharField(max_length=64)
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    taken_in_at = models.DateTimeField(null=True, blank=True)
    taken_in_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    def __str__(self) -> str:
        return f"generation {self.pk}"


class LLMGenerator(models.Model):
    """Who writes replies in a study, under the name that their items have it by; never changed.

    `asked` keeps the LLM, its endpoint and its settings as those of a judge are kept: it is asked
    by the same runs, and rates nothing.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="generators")
    name = models.CharField(max_length=100)
    asked = models.OneToOneField(Judge, on_delete=models.PROTECT, related_name="generator")
    system = models.TextField(blank=True)

    class Meta:
        verbose_name = "LLM generator"
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="a_generator_has_a_name_once")
        ]

    def __str__(self) -> str:
        return f"generator {self.pk}"
