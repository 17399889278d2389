"""Judges, their runs over items, and each request that was made."""

from decimal import Decimal

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import HoldOut, Item, Rater, Round, RubricVersion, Study, Submission
from judging.rules import batches, comparing, endpoints, outcomes, questions
from judging.rules.budget import Limit, Price, Use


class Manner(models.TextChoices):
    """How the rubric is asked: all in one request, by criterion, or a taxonomy node by node."""

    FLAT = questions.AskingManner.FLAT.value, _("All at once")
    EACH = questions.AskingManner.EACH.value, _("One criterion at a time")
    SEQUENTIAL = questions.AskingManner.SEQUENTIAL.value, _("Node by node")


class Outcome(models.TextChoices):
    """How a call ended: rated, or why not."""

    RATED = outcomes.Outcome.RATED.value, _("Rated")
    WRITTEN = outcomes.Outcome.WRITTEN.value, _("Reply written")
    EMPTY = outcomes.Outcome.EMPTY.value, _("Empty answer")
    REFUSED = outcomes.Outcome.REFUSED.value, _("Declined to rate")
    TRUNCATED = outcomes.Outcome.TRUNCATED.value, _("Cut off before an answer")
    NO_ANSWER = outcomes.Outcome.NO_ANSWER.value, _("No answer in the text")
    AMBIGUOUS = outcomes.Outcome.AMBIGUOUS.value, _("Several answers")
    HEDGED = outcomes.Outcome.HEDGED.value, _("Left in doubt")
    QUOTED = outcomes.Outcome.QUOTED.value, _("Only quoted, not said")
    ONLY_REASONING = outcomes.Outcome.ONLY_REASONING.value, _("Reasoning without an answer")
    SCHEMA_INVALID = outcomes.Outcome.SCHEMA_INVALID.value, _("Not the JSON asked for")
    OUT_OF_RANGE = outcomes.Outcome.OUT_OF_RANGE.value, _("Off the scale")
    TOO_LONG = outcomes.Outcome.TOO_LONG.value, _("Too long for the LLM")
    REQUEST_REFUSED = outcomes.Outcome.REQUEST_REFUSED.value, _("Request refused")
    ENDPOINT_ERROR = outcomes.Outcome.ENDPOINT_ERROR.value, _("Endpoint failed")


class PromptTemplate(models.Model):
    """One version of a prompt that a study wrote: TOML, word for word, never changed."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="prompt_templates")
    name = models.SlugField(max_length=60)
    number = models.PositiveIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    note = models.CharField(max_length=200, blank=True)
    written_at = models.DateTimeField()
    written_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "number"], name="a_prompt_has_a_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"


class SentText(models.Model):
    """A text that was sent to an LLM, kept once under its SHA-256; insert-only.

    The exchanges of a call name the texts of their messages by these.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()

    def __str__(self) -> str:
        return f"sent text {self.sha256[:12]}"


class ProcessorClass(models.TextChoices):
    """Whose machines read the dialogues."""

    OWN = "own", _("A server of one’s own")
    CONTRACTED = "contracted", _("A processor under contract")
    OTHER = "other", _("Somebody else")


class EndpointDialect(models.TextChoices):
    """Whose form of the OpenAI protocol is spoken."""

    OPENAI = endpoints.Dialect.OPENAI.value, "OpenAI"
    AZURE = endpoints.Dialect.AZURE.value, "Azure OpenAI"
    VLLM = endpoints.Dialect.VLLM.value, "vLLM"
    OLLAMA = endpoints.Dialect.OLLAMA.value, "Ollama"
    ANTHROPIC = endpoints.Dialect.ANTHROPIC.value, "Anthropic"
    GEMINI = endpoints.Dialect.GEMINI.value, "Gemini"


class LLMEndpoint(models.Model):
    """One version of where LLMs are asked; only its end is written later.

    `key_reference` says where the key is, “env:NAME” or “file:NAME”: no key is in the database.
    `headers` and `body` go along with every request. `most_at_once` is for all runs together.
    """

    key = models.SlugField(max_length=60)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=150)
    base_url = models.CharField(max_length=300)
    dialect = models.CharField(
        max_length=20, choices=EndpointDialect.choices, default=EndpointDialect.OPENAI
    )
    key_reference = models.CharField(max_length=120, blank=True)
    headers = models.JSONField(default=dict, blank=True)
    body = models.JSONField(default=dict, blank=True)
    processor = models.CharField(
        max_length=20, choices=ProcessorClass.choices, default=ProcessorClass.OTHER
    )
    most_at_once = models.PositiveSmallIntegerField(null=True, blank=True)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name = "LLM endpoint"
        constraints = [
            models.UniqueConstraint(fields=["key", "number"], name="an_endpoint_version_once"),
            models.UniqueConstraint(
                fields=["key"],
                condition=models.Q(retired_at=None),
                name="one_version_of_an_endpoint_in_use",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class LLMPrice(models.Model):
    """What an endpoint takes for an LLM from a day on, for a million tokens; insert-only.

    `is_for_batches`: what is sent in batches has a price of its own. `cached`: that of prompts which
    the endpoint had in its cache; None where it is none of its own.
    """

    endpoint = models.ForeignKey(LLMEndpoint, on_delete=models.PROTECT, related_name="prices")
    llm = models.CharField(max_length=200)
    prompt = models.DecimalField(max_digits=12, decimal_places=4)
    answer = models.DecimalField(max_digits=12, decimal_places=4)
    cached = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    currency = models.CharField(max_length=3, default="USD")
    since = models.DateField()
    is_for_batches = models.BooleanField(default=False)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name = "LLM price"
        constraints = [
            models.CheckConstraint(
                name="a_price_is_not_below_nothing",
                condition=models.Q(prompt__gte=0, answer__gte=0)
                & (models.Q(cached=None) | models.Q(cached__gte=0)),
            )
        ]

    def __str__(self) -> str:
        return f"price {self.pk}"


class Judge(models.Model):
    """One immutable edition of an LLM rater: which LLM, asked how, with which settings.

    `template` is the prompt that its study wrote; without one it is Concord's own. Without an
    `endpoint` it is asked where the server is set up to ask.
    """

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="judge")
    llm = models.CharField(max_length=200)
    base_url = models.CharField(max_length=300)
    endpoint = models.ForeignKey(
        LLMEndpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="judges"
    )
    manner = models.CharField(max_length=20, choices=Manner.choices, default=Manner.FLAT)
    prompt_language = models.CharField(max_length=10, default="en")
    prompt_edition = models.CharField(max_length=20)
    template = models.ForeignKey(
        PromptTemplate, null=True, blank=True, on_delete=models.PROTECT, related_name="judges"
    )
    temperature = models.FloatField(null=True, blank=True)
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    json_answer = models.BooleanField(default=True)
    is_stand_in = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"judge {self.pk}"


class Probe(models.Model):
    """What an endpoint and its LLM made of a made-up dialogue; insert-only.

    `findings` is {what was tried: what came of it}; `seconds` are those of the first request.
    """

    llm = models.CharField(max_length=200)
    base_url = models.CharField(max_length=300)
    endpoint = models.ForeignKey(
        LLMEndpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="probes"
    )
    findings = models.JSONField()
    seconds = models.FloatField()
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        indexes = [models.Index(fields=["llm", "base_url"])]

    def __str__(self) -> str:
        return f"probe {self.pk}"

    @property
    def has_answered(self) -> bool:
        return "json" in self.findings


class SentinelSet(models.Model):
    """Items that a judge is asked again every so often, to see whether it is still the same.

    `margin`: the share of answers that may change; fixed beforehand, as is all else but the end.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="sentinel_sets")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="sentinel_sets")
    margin = models.FloatField()
    every_days = models.PositiveSmallIntegerField()
    seed = models.CharField(max_length=64)
    set_at = models.DateTimeField()
    set_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "judge"],
                condition=models.Q(retired_at=None),
                name="one_sentinel_set_a_judge",
            ),
            models.CheckConstraint(
                name="a_margin_is_a_share", condition=models.Q(margin__gt=0, margin__lt=1)
            ),
            models.CheckConstraint(
                name="sentinels_are_asked_again", condition=models.Q(every_days__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return f"sentinels {self.pk}"


class Sentinel(models.Model):
    """An item of such a set, and the call that first answered it."""

    sentinels = models.ForeignKey(SentinelSet, on_delete=models.PROTECT, related_name="members")
    call = models.ForeignKey("JudgeCall", on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sentinels", "call"], name="a_sentinel_stands_once")
        ]

    def __str__(self) -> str:
        return f"sentinel {self.pk}"


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


class PairingChoice(models.TextChoices):
    """Which replies to a conversation are held against each other."""

    ALL = comparing.Pairing.ALL.value, _("Every two of different sources")
    REFERENCE = comparing.Pairing.REFERENCE.value, _("Each against those of one source")


class ReplyComparison(models.Model):
    """Pairs of replies to the same conversations, put to a judge; never changed.

    `seed` draws the pairs, where only `most` of them are asked about, and which reply stands first.
    `both_orders`: each pair is asked about the other way round as well. `overall`: which is better
    on the whole, instead of on each scale of the rubric. `values`: a value for each of both on each
    scale, of which the higher is preferred. `ties`: whether neither may be the answer.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="comparisons")
    pairing = models.CharField(
        max_length=20, choices=PairingChoice.choices, default=PairingChoice.ALL
    )
    reference = models.CharField(max_length=100, blank=True)
    most = models.PositiveIntegerField(null=True, blank=True)
    both_orders = models.BooleanField(default=True)
    overall = models.BooleanField(default=False)
    values = models.BooleanField(default=False)
    ties = models.BooleanField(default=True)
    seed = models.CharField(max_length=64)
    n_pairs = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_reference_is_named_where_there_is_one",
                condition=models.Q(pairing="reference") & ~models.Q(reference="")
                | ~models.Q(pairing="reference") & models.Q(reference=""),
            ),
            models.CheckConstraint(
                name="values_are_on_scales", condition=~models.Q(overall=True, values=True)
            ),
        ]

    def __str__(self) -> str:
        return f"comparison {self.pk}"


class RunState(models.TextChoices):
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused")
    FINISHED = "finished", _("Finished")


class JudgeRun(models.Model):
    """One pass of a judge over the items of a study, with r repeats, the first begun first.

    Calls are made under the access of `authority`: who started the run, then who last resumed it;
    None where it was a command on the server. `round` is set where only its items are asked, and
    `retry_of` where only what the endpoint failed at in another run is. What a run of `sentinels` is
    answered is compared and is no rating; what one of a `generation` is answered is a reply, and what
    one of a `comparison` is answered a preference.
    `used_…` counts what was asked and what is set aside for the calls under way; a worker that
    dies leaves there what it had set aside, for it may have been asked. `price_…` are of the day
    of the start, for a million tokens. `probe` is the newest one of the LLM at the start. `by_batch`
    calls are sent in batches, not one by one.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="judge_runs")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT)
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="judge_runs"
    )
    retry_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="retries"
    )
    sentinels = models.ForeignKey(
        SentinelSet, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    generation = models.ForeignKey(
        Generation, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    comparison = models.ForeignKey(
        ReplyComparison, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    repeats = models.PositiveSmallIntegerField(default=1)
    concurrency = models.PositiveSmallIntegerField(default=8)
    by_batch = models.BooleanField(default=False)
    limit_requests = models.PositiveIntegerField(null=True, blank=True)
    limit_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    limit_money = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    used_requests = models.PositiveIntegerField(default=0)
    used_tokens = models.PositiveBigIntegerField(default=0)
    used_money = models.DecimalField(max_digits=16, decimal_places=8, default=Decimal(0))
    price_prompt = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    price_answer = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    price_cached = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    probe = models.ForeignKey(
        Probe, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    state = models.CharField(max_length=20, choices=RunState.choices, default=RunState.RUNNING)
    pause_reason = models.CharField(max_length=30, blank=True)
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    authority = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "judge"],
                condition=~models.Q(state="finished"),
                name="one_unfinished_run_a_judge",
            ),
            models.CheckConstraint(
                name="a_paused_run_says_why",
                condition=models.Q(state="paused") & ~models.Q(pause_reason="")
                | ~models.Q(state="paused") & models.Q(pause_reason=""),
            ),
            models.CheckConstraint(
                name="money_is_limited_where_it_has_a_price",
                condition=models.Q(limit_money=None)
                | models.Q(price_prompt__isnull=False, price_answer__isnull=False),
            ),
            models.CheckConstraint(
                name="finished_at_goes_with_finished",
                condition=models.Q(state="finished", finished_at__isnull=False)
                | ~models.Q(state="finished") & models.Q(finished_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"

    @property
    def limit(self) -> Limit:
        return Limit(requests=self.limit_requests, tokens=self.limit_tokens, money=self.limit_money)

    @property
    def used(self) -> Use:
        return Use(requests=self.used_requests, tokens=self.used_tokens, money=self.used_money)

    @property
    def price(self) -> Price | None:
        """What the LLM cost when the run began; None where nobody had said."""
        if self.price_prompt is None or self.price_answer is None:
            return None
        return Price(
            prompt=self.price_prompt,
            answer=self.price_answer,
            cached=self.price_cached,
            currency=self.currency,
        )


class HoldOutUse(models.Model):
    """A run that asked a judge about the hold-out of a study; insert-only.

    `family`: whose prompt it was, "" for Concord's own; versions of one prompt are one family, as
    each was written by somebody who knew what came of those before. `reason`: why the hold-out was
    used again, "" the first time.
    """

    hold_out = models.ForeignKey(HoldOut, on_delete=models.PROTECT, related_name="uses")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="hold_out_uses")
    run = models.OneToOneField(JudgeRun, on_delete=models.PROTECT, related_name="hold_out_use")
    family = models.CharField(max_length=60, blank=True)
    n_items = models.PositiveIntegerField()
    reason = models.CharField(max_length=300, blank=True)
    used_at = models.DateTimeField()
    used_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    def __str__(self) -> str:
        return f"use {self.pk} of a hold-out"


class CallState(models.TextChoices):
    PENDING = "pending", _("Pending")
    LEASED = "leased", _("Under way")
    BATCHED = "batched", _("In a batch")
    DONE = "done", _("Done")


def _of_the_last_exchange(name: str) -> models.GeneratedField:
    """What the endpoint said of its last answer; null as long as there is none."""
    return models.GeneratedField(
        expression=KeyTextTransform(name, KeyTransform("-1", "exchanges")),
        output_field=models.TextField(null=True),
        db_persist=True,
    )


class JudgeCall(models.Model):
    """One item put to a judge once, with its raw answers and all that explains them.

    Where replies are compared, `item` is the one that stood first and `second` the other.
    `claims` counts how often a worker took it in hand: a claim that has been overtaken by another
    may no longer write. `attempts` counts what came to an end: an answer, or a fault of its own.
    `parser_edition` is what read its answers; `submission` and `outcome` are of that reading.
    `set_aside` is no column: what its worker holds of the run's limit for it.
    `answered_llm` and `answered_fingerprint` are who answered, by the endpoint's own account.
    """

    set_aside = Use()

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="calls")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judge_calls")
    second = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    repeat = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=CallState.choices, default=CallState.PENDING)
    leased_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    claims = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=30, choices=Outcome.choices, blank=True)
    problem = models.CharField(max_length=100, blank=True)
    parser_edition = models.CharField(max_length=20, blank=True)
    submission = models.OneToOneField(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="judge_call"
    )
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    item_sha256 = models.CharField(max_length=64, blank=True)
    exchanges = models.JSONField(
        default=list,
        help_text=(
            "Each request in turn: what it asked, the hashes of its prompt, the raw text, and what "
            "the endpoint said of it: id, LLM, fingerprint, usage, how it ended."
        ),
    )
    answered_llm = _of_the_last_exchange("llm")
    answered_fingerprint = _of_the_last_exchange("fingerprint")
    sent_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "second", "repeat"],
                nulls_distinct=False,
                name="an_item_or_a_pair_once_a_repeat",
            ),
            models.CheckConstraint(
                name="two_replies_are_compared", condition=~models.Q(item=models.F("second"))
            ),
            models.CheckConstraint(
                name="a_done_call_has_an_outcome",
                condition=models.Q(state="done") & ~models.Q(outcome="")
                | ~models.Q(state="done") & models.Q(outcome=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["run", "repeat", "position"],
                condition=~models.Q(state="done"),
                name="calls_still_to_make",
            )
        ]

    def __str__(self) -> str:
        return f"call {self.pk}"


class BatchState(models.TextChoices):
    """Where a batch is; after `SENDING` it has a name at its endpoint."""

    SENDING = "sending", _("Being sent")
    SENT = "sent", _("At the endpoint")
    ENDED = "ended", _("Taken in")


class BatchEnding(models.TextChoices):
    """What became of a batch at its endpoint."""

    COMPLETED = batches.BatchEnd.COMPLETED.value, _("Completed")
    EXPIRED = batches.BatchEnd.EXPIRED.value, _("Not completed in time")
    CANCELLED = batches.BatchEnd.CANCELLED.value, _("Cancelled")
    FAILED = batches.BatchEnd.FAILED.value, _("Refused by the endpoint")
    LOST = batches.BatchEnd.LOST.value, _("No longer there")
    NOT_SENT = batches.BatchEnd.NOT_SENT.value, _("Never sent")


class LLMBatch(models.Model):
    """Calls of a run that are sent to its endpoint together, and come back together.

    `key` is what it is known by at the endpoint before `remote_id` is noted here. `requests` is
    {custom id: what is set aside for the call and what was asked}, empty once it has ended; a custom
    id names the call and its claim. `n_answered` is as the endpoint counts them.
    """

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="batches")
    key = models.CharField(max_length=32, unique=True)
    requests = models.JSONField(default=dict)
    n_calls = models.PositiveIntegerField()
    n_answered = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=BatchState.choices, default=BatchState.SENDING)
    ended_as = models.CharField(max_length=20, choices=BatchEnding.choices, blank=True)
    problem = models.CharField(max_length=100, blank=True)
    remote_id = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    look_at = models.DateTimeField()
    cancel_asked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "LLM batch"
        verbose_name_plural = "LLM batches"
        constraints = [
            models.CheckConstraint(
                name="a_batch_that_ended_says_how",
                condition=models.Q(state="ended", ended_at__isnull=False) & ~models.Q(ended_as="")
                | ~models.Q(state="ended") & models.Q(ended_at=None, ended_as=""),
            ),
            models.CheckConstraint(
                name="a_batch_that_was_sent_has_a_name",
                condition=~models.Q(state="sent") | ~models.Q(remote_id=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["look_at"], condition=~models.Q(state="ended"), name="batches_to_look_at"
            )
        ]

    def __str__(self) -> str:
        return f"batch {self.pk}"


class RunAnswerer(models.Model):
    """Who answered calls of a run by the endpoint's own account, and when first.

    The database writes it as calls end, so that nobody has to look through all of them for it;
    `fingerprint` is "" where none was named. `first_call` is the lowest number of these calls.
    """

    run = models.ForeignKey(JudgeRun, on_delete=models.CASCADE, related_name="answerers")
    llm = models.TextField()
    fingerprint = models.TextField(blank=True)
    first_at = models.DateTimeField(null=True)
    first_call = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "llm", "fingerprint"], name="an_answerer_of_a_run_once"
            )
        ]

    def __str__(self) -> str:
        return f"answerer {self.pk} of a run"


class AnswerPieces(models.Model):
    """By which short pieces words are found in what was answered in a call.

    Those of a run are there all or none: it is indexed once it is over.
    """

    call = models.OneToOneField(
        JudgeCall, primary_key=True, on_delete=models.CASCADE, related_name="pieces"
    )
    run = models.ForeignKey(JudgeRun, on_delete=models.CASCADE, related_name="+")
    pieces = ArrayField(models.IntegerField())

    class Meta:
        verbose_name_plural = "answer pieces"
        indexes = [GinIndex(fields=["pieces"], name="answers_by_their_pieces")]

    def __str__(self) -> str:
        return f"pieces of call {self.pk}"


class WrittenReply(models.Model):
    """The item that was made of what a generator answered; insert-only.

    `doubts` are what looked wrong in its text, and why it was set aside at once.
    """

    call = models.OneToOneField(JudgeCall, on_delete=models.PROTECT, related_name="written_reply")
    item = models.OneToOneField(Item, on_delete=models.PROTECT, related_name="written_as")
    doubts = ArrayField(models.CharField(max_length=20), default=list)

    class Meta:
        verbose_name_plural = "written replies"

    def __str__(self) -> str:
        return f"written reply {self.pk}"


class Preferred(models.TextChoices):
    """Which of two replies a judge prefers, by where they stood."""

    FIRST = comparing.FIRST, _("The first one")
    SECOND = comparing.SECOND, _("The second one")
    TIE = comparing.TIE, _("Neither")


class Preference(models.Model):
    """What an edition of the parser found in a call that compares two replies; insert-only.

    One for each thing that was asked: a scale of the rubric, or `OVERALL`. Without a preference
    `unscored` says why. The newest edition counts. The scores are those of both replies, where values
    were asked for.
    """

    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, related_name="preferences")
    criterion_key = models.CharField(max_length=50)
    preferred = models.CharField(max_length=10, choices=Preferred.choices, blank=True)
    unscored = models.CharField(max_length=30, choices=Outcome.choices, blank=True)
    first_score = models.SmallIntegerField(null=True, blank=True)
    second_score = models.SmallIntegerField(null=True, blank=True)
    edition = models.CharField(max_length=20)
    read_at = models.DateTimeField()
    read_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["call", "criterion_key", "edition"], name="one_preference_an_edition"
            ),
            models.CheckConstraint(
                name="a_preference_or_why_there_is_none",
                condition=models.Q(preferred="") & ~models.Q(unscored="")
                | ~models.Q(preferred="") & models.Q(unscored=""),
            ),
        ]

    def __str__(self) -> str:
        return f"preference {self.pk}"


class CallReading(models.Model):
    """What one edition of the parser found in the answers of a call; insert-only.

    A call has rows here once it has been read again, its first reading among them. The newest
    counts, and the call's own `submission` and `outcome` are those of it; where a reading found
    what the one before did, both have the same submission.
    """

    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, related_name="readings")
    edition = models.CharField(max_length=20)
    outcome = models.CharField(max_length=30, choices=Outcome.choices)
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="+")
    read_at = models.DateTimeField()
    read_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["call", "edition"], name="one_reading_an_edition")
        ]

    def __str__(self) -> str:
        return f"reading {self.pk}"


class HandReading(models.Model):
    """What a person takes an answer to say that the parser could not read; insert-only.

    It is nobody's rating: no figure of a judge knows it. The newest one of a criterion counts.
    """

    call = models.ForeignKey(JudgeCall, on_delete=models.PROTECT, related_name="hand_readings")
    criterion_key = models.CharField(max_length=50)
    label = models.CharField(max_length=50, null=True, blank=True)  # noqa: DJ001 -- as a rating has it
    score = models.SmallIntegerField(null=True, blank=True)
    read_at = models.DateTimeField()
    read_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_label_or_a_score_is_read",
                condition=models.Q(label__isnull=True, score__isnull=False)
                | models.Q(label__isnull=False, score__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"reading by hand {self.pk}"
