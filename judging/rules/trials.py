"""What a trial of an LLM has shown of how it can be asked, and what no trial has shown yet."""

from collections.abc import Mapping

from annotation.rubric.sentences import Sentence, sentence
from judging.rules.outcomes import Taken


def reason_not_to_ask(
    learnt: Mapping[str, str], *, llm: str, has_temperature: bool, in_json: bool
) -> Sentence | None:
    """Say why an LLM cannot be asked so, by what its newest trial has shown, or None."""
    if has_temperature and learnt.get("temperature") == Taken.NO:
        return sentence(
            "“{llm}” takes no temperature, as a trial has shown. Leave it empty.", llm=llm
        )
    if in_json and "by_plain" in learnt and "rung" not in learnt:
        return sentence(
            "“{llm}” gave no answer in JSON that can be read, whichever way it was asked for one, as a "
            "trial has shown. Have it answer plainly, or try it again.",
            llm=llm,
        )
    return None


def reason_to_try(learnt: Mapping[str, str] | None, *, llm: str) -> Sentence | None:
    """Say what would turn out in the run, or None. It may be started all the same: an endpoint that
    replays what was recorded answers no made-up dialogue."""
    if learnt is None:
        return sentence(
            "“{llm}” was not tried there yet: which form of JSON it takes, whether a temperature, and "
            "what it calls its longest answer would turn out in the run. A trial sends a made-up "
            "dialogue and takes seconds: “Try it first” on the page that starts it, or manage.py judge "
            "probe.",
            llm=llm,
        )
    if "json" not in learnt:
        return sentence(
            "“{llm}” gave no answer when it was tried last. Mend what stood in the way, and try it "
            "again.",
            llm=llm,
        )
    return None
