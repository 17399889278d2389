"""What pages and commands say of runs and judges."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext, gettext_lazy, ngettext

from accounts.punctuation import bracketed
from annotation.queries.grounds import GroundsShown, grounds_shown
from annotation.queries.wording import said, worded
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Taxonomy
from judging.interviews import Exchange
from judging.models import (
    HandReading,
    Judge,
    JudgeRun,
    LLMEndpoint,
    Manner,
    Outcome,
    Preference,
    Probe,
    ReplyComparison,
)
from judging.queries.figures import Accuracy, OutcomeShare
from judging.queries.runs import text_of
from judging.queries.showing import CallShown
from judging.rules.endpoints import Rung, host_of
from judging.rules.outcomes import Pause, Taken

_PAUSES = {
    Pause.BY_HAND: gettext_lazy("Paused by hand."),
    Pause.ACCESS_LOST: gettext_lazy(
        "The account behind this run may no longer run judges in this study. Somebody who may can "
        "resume it."
    ),
    Pause.DATA_SET_SAYS_NO: gettext_lazy(
        "The rules of the data set do not send its texts to %(host)s. Its data steward can change "
        "them; then resume."
    ),
    Pause.ENDPOINT_CHANGED: gettext_lazy(
        "This run asks %(host)s, but the server is now set up for another endpoint. Set "
        "CONCORD_LLM_BASE_URL back and resume, or end the run and start another."
    ),
    Pause.ENDPOINT_NOT_ALLOWED: gettext_lazy(
        "Nothing may be sent to %(host)s. It must be in use, its key be there, its host be listed in "
        "CONCORD_LLM_HOSTS, and it must be reached by https or be listed in CONCORD_LLM_HTTP_HOSTS."
    ),
    Pause.KEY_REFUSED: gettext_lazy(
        "%(host)s refuses the key. Put a valid one at %(key)s, restart the workers, and resume."
    ),
    Pause.OUT_OF_QUOTA: gettext_lazy(
        "%(host)s says that the quota is used up. Raise it or wait until it is renewed, then resume."
    ),
    Pause.NOT_FOUND: gettext_lazy(
        "%(host)s does not know the LLM “%(llm)s”, or nothing answers at this path. Check the name "
        "and %(address)s."
    ),
    Pause.REDIRECTED: gettext_lazy(
        "%(host)s sends requests on to another address, where dialogues are not sent. Set "
        "%(address)s to the final address."
    ),
    Pause.REQUESTS_REFUSED: gettext_lazy(
        "%(host)s refuses the requests as invalid. It may not know one of the settings, such as "
        "JSON answers or the temperature: end this run and start a judge with others."
    ),
    Pause.NO_ANSWERS: gettext_lazy(
        "%(host)s has not answered any of the last requests. Resume when it is up again."
    ),
    Pause.LIMIT_REACHED: gettext_lazy(
        "What is left of this run’s limit is less than the next item may take. Resume with a "
        "higher limit, or end the run: what has been rated stays."
    ),
}


_TRIED: Mapping[str, object] = {
    Pause.KEY_REFUSED: gettext_lazy("the key is refused"),
    Pause.OUT_OF_QUOTA: gettext_lazy("the quota is used up, or too much is asked at a time"),
    Pause.NOT_FOUND: gettext_lazy(
        "this LLM is not known, or nothing answers at this path: many addresses end in /v1"
    ),
    Pause.REDIRECTED: gettext_lazy("requests are sent on to another address"),
    Outcome.RATED: gettext_lazy("answered, and the answer can be read"),
    Outcome.REQUEST_REFUSED: gettext_lazy("refused, perhaps because of one of the settings"),
    Outcome.ENDPOINT_ERROR: gettext_lazy(
        "no answer: the endpoint is not reached, it fails, or its address is another: many end in /v1"
    ),
}
_TAKEN = {
    Taken.YES: gettext_lazy("yes"),
    Taken.NO: gettext_lazy("no"),
    Taken.UNKNOWN: gettext_lazy("not known: there was no answer"),
}
_RUNGS = {
    Rung.JSON_SCHEMA: gettext_lazy("JSON by a schema"),
    Rung.JSON_OBJECT: gettext_lazy("JSON without a schema"),
    Rung.TOOL: gettext_lazy("JSON through a tool"),
    Rung.PLAIN: gettext_lazy("JSON because it is asked for"),
}
_YES_OR_NO = {
    "system": gettext_lazy("Knows a role for the system’s words"),
    "temperature": gettext_lazy("Takes a temperature"),
    "effort": gettext_lazy("Takes an effort of reasoning"),
    "seed": gettext_lazy("Takes a seed"),
    "logprobs": gettext_lazy("Gives log probabilities"),
    "batches": gettext_lazy("Takes requests in batches"),
    "tokens": gettext_lazy("Counts tokens"),
}


class Unread(NamedTuple):
    """A criterion of which no value could be read: its key, its name, (value, words) of each choice."""

    criterion: str
    name: str
    choices: list[tuple[str, str]]


def probe_in_words(probe: Probe) -> list[tuple[str, str]]:
    """(what was tried, what came of it) in the order in which it was."""
    found = probe.findings
    lines = [(gettext("A plain answer"), _came(found["plain"], found.get("problem", "")))]
    if "json" in found:
        tried = [rung for rung in Rung if f"by_{rung.value}" in found]
        lines += [(str(_RUNGS[rung]), _came(found[f"by_{rung.value}"])) for rung in tried]
        if not tried:
            lines.append((gettext("An answer in JSON"), _came(found["json"])))
        known = [(key, name) for key, name in _YES_OR_NO.items() if key in found]
        lines += [(str(name), str(_TAKEN[Taken(found[key])])) for key, name in known]
        if limit := found.get("limit"):
            lines.append((gettext("Calls the longest answer"), limit))
        lines.append((gettext("LLM that answered"), found["llm"] or "—"))
    seconds = gettext("%(count)s s") % {"count": f"{probe.seconds:.1f}"}
    return [*lines, (gettext("Time of the first request"), seconds)]


def batches_in_words(probe: Probe | None) -> str:
    """Whether an endpoint takes batches, as far as a trial of one of its LLMs has shown."""
    if probe is None:
        return gettext("Not known: no judge has been tried there yet.")
    found = {"came": _TAKEN[Taken(probe.findings["batches"])], "llm": probe.llm}
    return gettext("%(came)s (tried with %(llm)s)") % found


def _came(ended: str, problem: str = "") -> str:
    if ended in _TRIED:
        words = str(_TRIED[ended])
    else:
        reason = Outcome(ended).label
        words = gettext("answered, but unreadable: %(reason)s") % {"reason": reason}
    return bracketed(words, problem) if problem else words


def reason_paused(run: JudgeRun) -> str:
    """Why a run is paused and what to do; empty while it is not."""
    if not run.pause_reason:
        return ""
    endpoint = run.judge.endpoint
    return _PAUSES[Pause(run.pause_reason)] % {
        "host": host_of(run.judge.base_url),
        "llm": run.judge.llm,
        "key": endpoint.key_reference if endpoint else "CONCORD_LLM_API_KEY",
        "address": _address_of(endpoint),
    }


def _address_of(endpoint: LLMEndpoint | None) -> str:
    """Where the address stands to which a run sends."""
    if endpoint is None:
        return "CONCORD_LLM_BASE_URL"
    return gettext("the address of “%(name)s”") % {"name": endpoint.name}


def asked_in(run: JudgeRun) -> list[str]:
    """What is asked in a run and the settings of its judge, in words."""
    return [*_compared(run.comparison), *asked_how(run.judge)]


def _compared(comparison: ReplyComparison | None) -> list[str]:
    if comparison is None:
        return []
    number = comparison.n_pairs
    pairs = ngettext("%(count)s pair of replies", "%(count)s pairs of replies", number)
    words = [pairs % {"count": number}]
    if comparison.reference:
        words.append(gettext("each with “%(source)s”") % {"source": comparison.reference})
    words.append(gettext("in both orders") if comparison.both_orders else gettext("in one order"))
    if comparison.overall:
        words.append(gettext("on the whole"))
    if comparison.values:
        return [*words, gettext("a value for each")]
    return words if comparison.ties else [*words, gettext("no ties")]


def asked_how(judge: Judge) -> list[str]:
    language = (
        gettext("in Chinese") if judge.prompt_language == "zh-hans" else gettext("in English")
    )
    words = [str(Manner(judge.manner).label), language]
    if judge.template is not None:
        own = {"name": judge.template.name, "number": judge.template.number}
        words.insert(0, gettext("prompt “%(name)s” %(number)s") % own)
    words.append(gettext("JSON answers") if judge.json_answer else gettext("plain answers"))
    if judge.temperature is not None:
        words.append(gettext("temperature %(value)s") % {"value": f"{judge.temperature:g}"})
    if judge.max_tokens is not None:
        words.append(gettext("at most %(count)s tokens") % {"count": judge.max_tokens})
    return words


def accuracies_in_words(
    accuracies: Sequence[Accuracy],
) -> list[tuple[str, Sequence[OutcomeShare], float]]:
    """(criterion, repeats, mean in percent) of each criterion that has gold."""
    return [(said(each.criterion.name), each.shares, each.mean) for each in accuracies]


def ratings_in_words(shown: CallShown) -> list[tuple[str, str, str]]:
    """(criterion, value, why there is none) in the rubric's order."""
    given = {rating.criterion_key: rating for rating in shown.ratings}
    lines = []
    for criterion in shown.rubric.criteria:
        rating = given.get(criterion.key)
        if rating is None:
            continue
        reason = str(Outcome(rating.unscored).label) if rating.unscored else ""
        answer = Answer(criterion=criterion.key, label=rating.label, score=rating.score)
        lines.append((said(criterion.name), "" if reason else worded(criterion, answer), reason))
    return lines


def grounds_in_words(shown: CallShown) -> tuple[GroundsShown, ...]:
    """What the judge said beside its values, where these are told."""
    submission = shown.call.submission_id
    if submission is None or not shown.ratings:
        return ()
    return grounds_shown(shown.rubric, {submission: ""}, text_of(shown.call).texts)


def preferences_in_words(shown: CallShown) -> list[tuple[str, str, str]]:
    """(what was asked, which reply is preferred, why none is) of a call that compares."""
    names = {criterion.key: said(criterion.name) for criterion in shown.rubric.criteria}
    return [
        (
            names.get(one.criterion_key, gettext("Overall")),
            _preferred_in_words(one),
            str(Outcome(one.unscored).label) if one.unscored else "",
        )
        for one in shown.preferences
    ]


def _preferred_in_words(one: Preference) -> str:
    told = str(one.get_preferred_display())
    if one.first_score is None:
        return told
    return gettext("%(preferred)s (%(first)s and %(second)s)") % {
        "preferred": told,
        "first": one.first_score,
        "second": one.second_score,
    }


def choices_unread(shown: CallShown) -> list[Unread]:
    """What could not be read, in the rubric's order."""
    unread = {rating.criterion_key for rating in shown.ratings if rating.unscored}
    return [
        Unread(
            each.key,
            said(each.name),
            [(value, worded(each, answer)) for value, answer in every(each)],
        )
        for each in shown.rubric.criteria
        if each.key in unread
    ]


def to_read(shown: CallShown) -> list[tuple[list[str], list[Unread]]]:
    """What a person may read: the answers to what could not be read, each with the criteria that it was
    asked about."""
    found: list[tuple[list[str], list[Unread]]] = []
    for unread in choices_unread(shown):
        texts = [
            str(one.exchange["text"]) for one in shown.asked if _is_about(one.exchange, unread[0])
        ]
        if found and found[-1][0] == texts:
            found[-1][1].append(unread)
        else:
            found.append((texts, [unread]))
    return found


def _is_about(exchange: Exchange, criterion: str) -> bool:
    """Whether a criterion, or a question of it, was asked in a request; of old ones nobody knows."""
    asked = exchange.get("asked")
    return asked is None or criterion in {key.partition("/")[0] for key in asked}


def every(criterion: Criterion) -> list[tuple[str, Answer]]:
    """Each answer that a criterion takes, and how a form sends it."""
    if isinstance(criterion, Taxonomy):
        keys = [label.key for label in criterion.labels]
        return [(key, Answer(criterion=criterion.key, label=key)) for key in keys]
    return [
        (str(value), Answer(criterion=criterion.key, score=value)) for value in criterion.values
    ]


def read_by_hand_in_words(shown: CallShown) -> list[tuple[str, str, HandReading]]:
    """(criterion, value, the reading) of what people read in this call, oldest first."""
    lines = []
    for reading in shown.by_hand:
        criterion = shown.rubric.criterion(reading.criterion_key)
        answer = Answer(criterion=criterion.key, label=reading.label, score=reading.score)
        lines.append((said(criterion.name), worded(criterion, answer), reading))
    return lines
