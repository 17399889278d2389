"""Write a rubric: named mistakes, the form and the prompt as they come to be, a test drive, publishing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from accounts.views.files import TOML, as_file
from annotation.actions import changing_rubrics, drafts, rubric_drafts, viewing
from annotation.forms import rating as forms
from annotation.forms.rubrics import RubricFileForm, text_of, written
from annotation.forms.trying import WouldBeStored, would_be_stored
from annotation.queries import items
from annotation.queries.entering import coordinated
from annotation.queries.rubric_changes import is_unused
from annotation.queries.rubric_drafts import RubricWritten, in_force, rubric_in, written_by
from annotation.queries.rubric_page import rubric_read
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rubric.loading import examples, load, mistakes_in, parse_toml
from annotation.rubric.schema import Rubric
from annotation.views import desk
from judging.queries.asking import asked_of_judges
from judging.queries.templates import item_to_preview, items_to_preview

if TYPE_CHECKING:
    from annotation.models import Item

PRESENT, EARLIER, FILE = "present", "earlier", "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLine:
    """A line of the text, and whether a mistake is named in it."""

    words: str
    is_mistaken: bool


@require_http_methods(["GET", "HEAD", "POST"])
def write(request: Request, key: str) -> HttpResponse:
    """Show the rubric that is being written; keep it and name its mistakes, or publish it."""
    study_access = coordinated(request, key)
    if request.method != "POST":
        return _page(request, study_access)
    half = _sent(request)
    try:
        rubric_drafts.keep(study=study_access.study, half=half, by=request.user, at=timezone.now())
    except drafts.WrittenElsewhere as other:
        theirs = other.draft
        return _page(request, study_access, text=half.words, theirs=theirs.words, status=409)
    if "publish" in request.POST:
        return _publish(request, study_access)
    return _page(request, study_access)


@require_POST
def keep_draft(request: Request, key: str) -> HttpResponse:
    """Keep what is written, as the outbox sends it; 409 with what another tab kept."""
    study_access = coordinated(request, key)
    try:
        kept = rubric_drafts.keep(
            study=study_access.study, half=_sent(request), by=request.user, at=timezone.now()
        )
    except drafts.WrittenElsewhere as other:
        return desk.not_replaced(other)
    return desk.draft_kept(kept)


@require_safe
def download(request: Request, key: str) -> HttpResponse:
    """What is written, with its mistakes, as a file."""
    return as_file(written_by(coordinated(request, key)).text, f"{key}-rubric-draft.toml", TOML)


@require_POST
def begin(request: Request, key: str) -> HttpResponse:
    """Go on from the edition in force, a shipped example, a file, or what stood here before."""
    study_access = coordinated(request, key)
    study, source = study_access.study, request.POST.get("from", "")
    known = {PRESENT: lambda: in_force(study_access)} | {
        name: lambda text=text: text for name, text in examples().items()
    }
    if source == EARLIER:
        rubric_drafts.bring_back(study=study, by=request.user, at=timezone.now())
        return redirect("rubric_write", key=key)
    if source == FILE:
        form = RubricFileForm(request.POST, request.FILES)
        if not form.is_valid():
            return _page(request, study_access, file_form=form, status=422)
        text = form.cleaned_data["file"]
    elif source in known:
        text = known[source]()
    else:
        raise BadRequest
    rubric_drafts.begin_with(study=study, words=text, by=request.user, at=timezone.now())
    return redirect("rubric_write", key=key)


@require_POST
def check(request: Request, key: str) -> HttpResponse:
    """Name the mistakes in what is written, and show the form and the prompt once there are none."""
    study_access = coordinated(request, key)
    text = text_of(request.POST.get("text", ""))
    context = {"study_access": study_access, "is_fragment": True, **_checked(text, request.POST)}
    return render(request, "judging/_rubric_checked.html", context)


@require_POST
def try_out(request: Request, key: str) -> HttpResponse:
    """Say what would be stored if the form was submitted so; nothing is."""
    study_access = coordinated(request, key)
    text = text_of(request.POST.get("text", "")) or written_by(study_access).text
    rubric = rubric_in(text)
    try:
        sent = forms.read(rubric, request.POST) if rubric else None
    except forms.NotAForm:
        raise BadRequest from None
    mend = WouldBeStored(problems=(gettext("The rubric has mistakes: mend them first."),))
    tried = would_be_stored(rubric, sent) if rubric and sent else mend
    if request.headers.get("HX-Request"):
        return render(request, "judging/_rubric_tried.html", {"tried": tried})
    chosen = item_to_preview(study_access, request.POST.get("item", ""))
    return _page(request, study_access, values=request.POST, item=chosen, tried=tried)


@require_POST
def show_item(request: Request, key: str) -> HttpResponse:
    """The text of an item to try the form on; nothing where none is chosen."""
    study_access = coordinated(request, key)
    if not (name := request.POST.get("item", "")):
        return HttpResponse("")
    chosen = item_to_preview(study_access, name)
    if chosen is None:
        raise Http404
    return HttpResponse(_dialogue(request, chosen))


def _sent(request: Request) -> drafts.HalfFilled:
    try:
        return written(request.POST)
    except forms.NotAForm:
        raise BadRequest from None


def _publish(request: Request, study_access: StudyAccess) -> HttpResponse:
    study, text = study_access.study, written_by(study_access).text
    if mistakes_in(text):
        return _page(request, study_access, status=422)
    try:
        version = changing_rubrics.publish_next(
            study_id=study.pk,
            definition=parse_toml(text),
            is_judged=study.judge_runs.exists(),
            by=request.user,
            at=timezone.now(),
        )
    except changing_rubrics.CannotChangeEdition as refusal:
        return _page(request, study_access, refusal=said(refusal.args[0]), status=409)
    study.refresh_from_db()
    if study.rubric_version_id != version.pk:
        return redirect("rubric_change", key=study.key, number=version.number)
    messages.success(request, gettext("Published: the study is under this rubric now."))
    return redirect("rubric", key=study.key)


def _page(
    request: Request,
    study_access: StudyAccess,
    *,
    text: str | None = None,
    values: Mapping[str, str] | None = None,
    item: "Item | None" = None,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    """The whole page, for what is kept or, where another tab went on with that, for `text`."""
    kept = written_by(study_access)
    study = study_access.study
    if text is not None:
        kept = RubricWritten(text=text, version=kept.version, has_earlier=kept.has_earlier)
    context = {
        "study_access": study_access,
        "kept": kept,
        "writer": uuid4(),
        "submission_key": uuid4(),
        "is_free": is_unused(study) and not study.judge_runs.exists(),
        "examples": [(name, said(load(parse_toml(one)).title)) for name, one in examples().items()],
        "items": items_to_preview(study_access),
        "item": item,
        "dialogue": _dialogue(request, item) if item else "",
        "file_form": RubricFileForm(),
        **_checked(kept.text, values or {}),
        **more,
    }
    return render(request, "judging/rubric_write.html", context, status=status)


def _checked(text: str, values: Mapping[str, str]) -> dict[str, object]:
    """What is wrong with a text; where nothing is, its form with `values` and its prompts."""
    mistakes = mistakes_in(text)
    wrong = {mistake.line for mistake in mistakes}
    lines = [
        WrittenLine(words=words, is_mistaken=number in wrong)
        for number, words in enumerate(text.split("\n"), start=1)
    ]
    found = {
        "mistakes": [(mistake.line, said(mistake.sentence)) for mistake in mistakes],
        "lines": lines,
    }
    rubric = None if mistakes else rubric_in(text)
    return found | (_shown(rubric, values) if rubric else {})


def _shown(rubric: Rubric, values: Mapping[str, str]) -> dict[str, object]:
    read = rubric_read(rubric)
    return {
        "rubric": read,
        "questions": forms.html_of(forms.asked(rubric, values)),
        "asked": asked_of_judges(rubric, read.languages),
    }


def _dialogue(request: Request, chosen: "Item") -> str:
    viewing.item_opened(item_id=chosen.pk, by=request.user, at=timezone.now())
    shown = items.shown(
        chosen.dialogue.turns, chosen.reply, chosen.reply_speaker, chosen.content_note
    )
    return render_to_string("annotation/_turns.html", {"item": shown})
