"""What is asked to start a judge, on the page and on the command line."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.models import User
from annotation.forms.folding import FoldedForm
from annotation.models import Study
from annotation.queries.wording import said
from judging import standin
from judging.actions import comparing, runs
from judging.actions import sentinels as watching
from judging.actions.judges import Settings
from judging.actions.runs import MOST_REPEATS
from judging.comparing import EDITION as PAIRS
from judging.comparing import has_scale
from judging.models import JudgeRun, LLMEndpoint, Manner, PromptTemplate, SentinelSet
from judging.prompts import EDITION, loading
from judging.prompts.template import PromptSubject, Template, built_in
from judging.queries import comparing as pairs
from judging.queries import endpoints, holding_out, sentinels, showing, templates
from judging.queries.runs import newest_probe
from judging.rules import questions
from judging.rules.budget import Limit
from judging.rules.comparing import PairsWanted
from judging.rules.endpoints import host_of
from judging.rules.pace import MOST_AT_ONCE

PLAIN, JSON = "plain", "json"
ALL = "all"
HOLD_OUT = "hold_out"
REPLACING = "replaces-"  # and the number of the judge, as its address has it
RATE, ON_SCALES, OF_BOTH, ON_THE_WHOLE = "rate", "scales", "values", "overall"
_OF_PAIRS = ("against", "most_pairs", "both_orders", "ties")
_ABOUT_PAIRS = ("about", *_OF_PAIRS)


class LimitForm(forms.Form):
    """The most that a run may use before it pauses."""

    limit_requests = forms.IntegerField(
        label=_("Requests at most"),
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text=_("Then the run pauses, and can go on with a higher limit. Empty: no limit."),
    )
    limit_tokens = forms.IntegerField(
        label=_("Tokens at most"),
        required=False,
        min_value=1,
        max_value=10**15,
        help_text=_(
            "In prompts and answers together, as the endpoint counts them. Of a request whose "
            "connection broke, or on which a server gave up, nobody tells them: they are not counted, "
            "though they may be billed."
        ),
    )

    limit_money = forms.DecimalField(
        label=_("Money at most"),
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=4,
        help_text=_(
            "In the currency of the price; where nobody has said a price it cannot be set."
        ),
    )

    def limit(self) -> Limit:
        return Limit(
            requests=self.cleaned_data["limit_requests"],
            tokens=self.cleaned_data["limit_tokens"],
            money=self.cleaned_data["limit_money"],
        )


class PaceForm(LimitForm):
    """What may be set otherwise while a run goes on."""

    concurrency = forms.IntegerField(
        label=_("Requests at a time"), min_value=1, max_value=MOST_AT_ONCE
    )

    field_order = ("concurrency",)


class StartForm(FoldedForm, LimitForm):
    """Which LLM, asked how, about which items, how often, and for how much at most."""

    folded = ("language", "temperature", "max_tokens", "concurrency", "by_batch", "own_generators")
    template: Template | None = None

    llm = forms.CharField(
        label=_("LLM"), max_length=200, help_text=_("Its name, as the endpoint knows it.")
    )
    endpoint = forms.ChoiceField(label=_("Endpoint"), required=False)
    prompt = forms.ChoiceField(
        label=_("Prompt"),
        required=False,
        help_text=_("A prompt of the study says itself how it is asked and how it answers."),
    )
    about = forms.ChoiceField(
        label=_("What it is asked"),
        required=False,
        choices=[
            (RATE, _("A value for each reply")),
            (ON_SCALES, _("Which of two replies is higher, on each scale")),
            (OF_BOTH, _("A value for each of two replies at once, on each scale")),
            (ON_THE_WHOLE, _("Which of two replies is better on the whole")),
        ],
        widget=forms.RadioSelect,
        initial=RATE,
        help_text=_("Two replies of different generators to the same conversation are a pair."),
    )
    manner = forms.ChoiceField(
        label=_("How it is asked"),
        choices=Manner.choices,
        widget=forms.RadioSelect,
        initial=Manner.FLAT,
    )
    answers = forms.ChoiceField(
        label=_("How it answers"),
        choices=[
            (JSON, _("In JSON, with its reasoning before each value")),
            (PLAIN, _("Plainly, the values and nothing else")),
        ],
        widget=forms.RadioSelect,
        initial=JSON,
    )
    items = forms.ChoiceField(label=_("Items"))
    hold_out_reason = forms.CharField(
        label=_("Why the hold-out is used again"),
        required=False,
        max_length=300,
        help_text=_(
            "Only where this judge was asked about it before. It is printed with each figure."
        ),
    )
    repeats = forms.IntegerField(
        label=_("Repeats"),
        min_value=1,
        max_value=MOST_REPEATS,
        initial=1,
        help_text=_("How often each item is asked: repeats show how steady the judge is."),
    )
    language = forms.ChoiceField(
        label=_("Language of the prompt"),
        choices=[("en", _("English")), ("zh-hans", _("Simplified Chinese"))],
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=2,
        initial=0,
        help_text=_("Empty: as the endpoint likes."),
    )
    max_tokens = forms.IntegerField(
        label=_("Longest answer, in tokens"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=_("Empty: as the endpoint likes. A plain label needs about 10."),
    )
    concurrency = forms.IntegerField(
        label=_("Requests at a time"), min_value=1, max_value=MOST_AT_ONCE, initial=8
    )
    by_batch = forms.BooleanField(
        label=_("Send in batches"),
        required=False,
        help_text=_(
            "Answers come within a day, at the price for batches. Only where a trial has shown that "
            "the endpoint takes them."
        ),
    )
    own_generators = forms.MultipleChoiceField(
        label=_("Sources of its own family"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Replies by the same LLM or its kin: agreement on them is not measured."),
    )

    against = forms.ChoiceField(label=_("Pairs"), required=False)
    most_pairs = forms.IntegerField(
        label=_("Pairs at most"),
        required=False,
        min_value=1,
        max_value=10**6,
        help_text=_("Drawn by lot. Empty: all."),
    )
    both_orders = forms.BooleanField(
        label=_("Ask about each pair in both orders"),
        required=False,
        initial=True,
        help_text=_("Twice the calls; else nobody knows whether the judge goes by the place."),
    )
    ties = forms.BooleanField(label=_("Neither may be the answer"), required=False, initial=True)

    field_order = [
        "endpoint",
        "llm",
        "about",
        "prompt",
        "manner",
        "answers",
        "items",
        "hold_out_reason",
        "repeats",
        "limit_requests",
        "limit_tokens",
        "limit_money",
    ]

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["language"].initial = study.language
        places = cast(forms.ChoiceField, self.fields["endpoint"])
        places.choices = endpoint_choices()
        if len(places.choices) == 1:
            places.widget = forms.HiddenInput()
            places.initial = places.choices[0][0]
        prompts = cast(forms.ChoiceField, self.fields["prompt"])
        prompts.choices = [
            ("", _("Concord’s own")),
            *((f"{one.name}/{one.number}", str(one)) for one in templates.of_study(study)),
        ]
        self.fields["llm"].initial = standin.NAME if settings.DEMO else ""
        hold_out = holding_out.in_force(study)
        items = cast(forms.ChoiceField, self.fields["items"])
        items.choices = [
            (ALL, _("Items for development") if hold_out else _("All items")),
            *(
                (str(number), _round_in_words(number, count))
                for number, count in showing.rounds_of(study)
            ),
        ]
        if hold_out:
            n_items = hold_out.held_out_items.count()
            items.choices = [*items.choices, (HOLD_OUT, _hold_out_in_words(n_items))]
        else:
            del self.fields["hold_out_reason"]
        standing = [] if study.judges_are_blinded else list(sentinels.in_force(study))
        self._to_replace = {f"{REPLACING}{one.judge.rater_id}": one for one in standing}
        items.choices = [
            *items.choices,
            *((key, _sentinels_in_words(one)) for key, one in self._to_replace.items()),
        ]
        generators = showing.generators_of(study)
        own_generators = cast(forms.MultipleChoiceField, self.fields["own_generators"])
        own_generators.choices = [(name, name) for name in generators]
        if not generators:
            del self.fields["own_generators"]
        self.has_pairs = len(generators) > 1
        self.apart = _OF_PAIRS if self.has_pairs else _ABOUT_PAIRS
        against = cast(forms.ChoiceField, self.fields["against"])
        against.choices = [
            ("", _("Every two generators")),
            *((name, _("Each with one by %(name)s") % {"name": name}) for name in generators),
        ]

    @property
    def pair_fields(self) -> list[forms.BoundField]:
        """Which pairs are asked about; none where no two sources have replies to be compared."""
        return [field for field in self if self.has_pairs and field.name in _OF_PAIRS]

    @property
    def is_about_pairs(self) -> bool:
        """Whether pairs are asked about as the form stands; then which is in view."""
        return self["about"].value() in (ON_SCALES, OF_BOTH, ON_THE_WHOLE)

    @property
    def round_number(self) -> int | None:
        chosen = self.cleaned_data["items"]
        return int(chosen) if chosen.isdecimal() else None

    @property
    def replaced(self) -> SentinelSet | None:
        """The sentinels of the judge that this one is to replace."""
        return self._to_replace.get(self.cleaned_data.get("items", ""))

    @property
    def is_of_hold_out(self) -> bool:
        return bool(self.cleaned_data["items"] == HOLD_OUT)

    def pairs_wanted(self) -> PairsWanted | None:
        """Which pairs are to be compared; None where replies are to be rated."""
        data = self.cleaned_data
        about = data.get("about") or RATE
        if about == RATE:
            return None
        return PairsWanted(
            reference=data.get("against", ""),
            most=data.get("most_pairs"),
            both_orders=data["both_orders"],
            overall=about == ON_THE_WHOLE,
            values=about == OF_BOTH,
            ties=data["ties"],
        )

    def _subject(self) -> PromptSubject:
        return PromptSubject.PAIR if self.pairs_wanted() else PromptSubject.REPLY

    def clean_endpoint(self) -> LLMEndpoint | None:
        chosen = self.cleaned_data["endpoint"]
        return endpoints.keyed(chosen) if chosen else None

    def clean_prompt(self) -> PromptTemplate | None:
        chosen = self.cleaned_data["prompt"]
        return templates.named(self.study, chosen) if chosen else None

    def clean(self) -> dict[str, Any]:
        """A prompt of the study must suit its rubric, which may have changed since."""
        data = super().clean() or self.cleaned_data
        if self.replaced and (self.pairs_wanted() or data.get("repeats", 1) > 1):
            self.add_error(
                "items", _("To replace another judge it rates each of these items, once.")
            )
        self.template = None
        written = data.get("prompt")
        try:
            if written:
                template = loading.read(written.text, self.study.rubric_version.content)
                if reason := runs.reason_not_to_ask_about(self._subject(), template):
                    raise loading.TemplateError([reason])
                self.template = template
            elif data.keys() >= {"manner", "language", "answers"}:
                self.template = built_in(
                    manner=questions.AskingManner(data["manner"]),
                    language=data["language"],
                    as_json=data["answers"] == JSON,
                    subject=self._subject(),
                )
        except loading.TemplateError as error:
            self.add_error("prompt", [said(problem) for problem in error.problems])
        return data

    def estimated(self, *, by: User | None, at: datetime) -> showing.CostEstimate | None:
        """What the form as it was filled in would come to for an account; None while not known."""
        self.is_valid()
        known = self.cleaned_data if self.is_bound else {}
        needed = {"repeats", "items", "max_tokens", "against", "most_pairs"}
        if self.template is None or not known.keys() >= needed:
            return None
        endpoint = known.get("endpoint")
        price = endpoints.price_for(
            known.get("llm", ""),
            endpoint.pk if endpoint else None,
            on=at.date(),
            by_batch=known.get("by_batch", False),
        )
        wanted = self.pairs_wanted()
        if wanted and not wanted.overall and not has_scale(self.study.rubric_version.content):
            return None
        reckon = (
            partial(pairs.estimate, wanted=wanted)
            if wanted
            else partial(showing.estimate, sentinels=self.replaced)
        )
        found = reckon(
            self.study,
            by=by,
            round_number=self.round_number,
            repeats=known["repeats"],
            template=self.template,
            max_tokens=known["max_tokens"],
            price=price,
            of_hold_out=self.is_of_hold_out,
        )
        return replace(found, is_tried=self._is_tried())

    def _is_tried(self) -> bool | None:
        """Whether a trial has shown what the LLM takes that is named; the stand-in needs none."""
        llm, endpoint = self.cleaned_data.get("llm"), self.cleaned_data.get("endpoint")
        if not llm or llm == standin.NAME:
            return None
        base_url = endpoint.base_url if endpoint else settings.LLM_BASE_URL
        probe = newest_probe(llm, base_url, endpoint.pk if endpoint else None)
        return probe is not None and probe.has_answered

    def judge(self) -> Settings:
        """The judge that was asked for."""
        data, template = self.cleaned_data, self.template
        if template is None:
            raise ValueError("The form has mistakes.")
        endpoint = data["endpoint"]
        return Settings(
            llm=data["llm"],
            base_url=endpoint.base_url if endpoint else settings.LLM_BASE_URL,
            endpoint=endpoint.pk if endpoint else None,
            manner=template.manner,
            language=template.language,
            temperature=data["temperature"],
            max_tokens=data["max_tokens"],
            as_json=template.as_json,
            prompt_edition=PAIRS if template.subject is PromptSubject.PAIR else EDITION,
            template=data["prompt"].pk if data["prompt"] else None,
            own_generators=frozenset(data.get("own_generators", [])),
        )

    def start(self, *, by: User | None, at: datetime, seed: str = "") -> JudgeRun:
        """Start what was asked for, pairs with a `seed` if given; CannotRun."""
        data, wanted = self.cleaned_data, self.pairs_wanted()
        if self.replaced:
            return watching.bridge_to_new(
                sentinels=self.replaced,
                judge=self.judge(),
                concurrency=data["concurrency"],
                limit=self.limit(),
                by_batch=data["by_batch"],
                by=by,
                at=at,
            )
        begin = (
            partial(comparing.start, wanted=replace(wanted, seed=seed)) if wanted else runs.start
        )
        return begin(
            study=self.study,
            by=by,
            at=at,
            judge=self.judge(),
            repeats=data["repeats"],
            concurrency=data["concurrency"],
            round_number=self.round_number,
            limit=self.limit(),
            of_hold_out=self.is_of_hold_out,
            hold_out_reason=data.get("hold_out_reason", ""),
            by_batch=data["by_batch"],
        )


def endpoint_choices() -> list[tuple[str, str]]:
    """The endpoint that the server is set up for, if it is, and those that were added."""
    own = host_of(settings.LLM_BASE_URL)
    added = [(one.key, f"{one.name} ({host_of(one.base_url)})") for one in endpoints.in_use()]
    return [("", own), *added] if own or not added else added


def _hold_out_in_words(count: int) -> str:
    words = ngettext(
        "The hold-out, to certify (%(count)s item)",
        "The hold-out, to certify (%(count)s items)",
        count,
    )
    return words % {"count": count}


def _sentinels_in_words(standing: SentinelSet) -> str:
    count = standing.members.count()
    words = ngettext(
        "The sentinel of “%(judge)s”, to replace it (%(count)s item)",
        "The sentinels of “%(judge)s”, to replace it (%(count)s items)",
        count,
    )
    return words % {"judge": standing.judge.rater.name, "count": count}


def _round_in_words(number: int, count: int) -> str:
    words = ngettext(
        "Round %(number)s (%(count)s item)", "Round %(number)s (%(count)s items)", count
    )
    return words % {"number": number, "count": count}
