"""Write the prompts of a study: each a version that never changes."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from accounts import events
from accounts.models import User
from annotation.models import Study
from annotation.rubric.sentences import sentence
from judging.models import PromptTemplate
from judging.prompts import loading


class CannotWrite(Exception):
    """Sentences that say why a prompt cannot be kept, one for each mistake."""


@transaction.atomic
def write(
    *, study: Study, name: str, text: str, note: str, by: User | None, at: datetime
) -> PromptTemplate:
    """Keep a text as the next version of a prompt, word for word."""
    text = text.replace("\r\n", "\n")
    try:
        loading.read(text, study.rubric_version.content)
    except loading.TemplateError as error:
        raise CannotWrite(*error.problems) from None
    Study.objects.select_for_update().get(pk=study.pk)
    versions = PromptTemplate.objects.filter(study=study, name=name)
    sha256 = loading.fingerprint(text)
    if same := versions.filter(sha256=sha256).first():
        raise CannotWrite(
            sentence("Version {number} says this already, word for word.", number=same.number)
        )
    template = PromptTemplate.objects.create(
        study=study,
        name=name,
        number=(versions.aggregate(newest=Max("number"))["newest"] or 0) + 1,
        text=text,
        sha256=sha256,
        note=note,
        written_at=at,
        written_by=by,
    )
    events.record(
        "prompt.written",
        subject=f"prompt_template:{template.pk}",
        by=by,
        at=at,
        facts={"study": study.pk, "number": template.number, "sha256": sha256},
    )
    return template
