"""Who may rate without having passed."""

from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.models import User
from annotation.models.studies import Study
from annotation.rules.remarks import LONGEST


class Admission(models.Model):
    """Somebody was let in to the ordinary rounds of a study, for a reason; it is never taken back:
    what they rate is theirs from then on."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="admissions")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    let_in_at = models.DateTimeField()
    let_in_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_admission_a_person"),
            models.CheckConstraint(
                name="an_admission_has_a_reason", condition=~models.Q(reason="")
            ),
            models.CheckConstraint(
                name="an_admission_s_reason_has_an_end",
                condition=LessThanOrEqual(Length("reason"), LONGEST),
            ),
        ]

    def __str__(self) -> str:
        return f"admission {self.pk}"
