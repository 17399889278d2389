"""What a trial of an LLM must have shown before anything of a study is sent to it."""

from collections.abc import Mapping

from annotation.rubric.sentences import Sentence, sentence
from judging.rules.outcomes import Taken


def reason_not_to_ask(
    learnt: Mapping[str, str] | None, *, llm: str, has_temperature: bool, in_json: bool
) -> Sentence | None:
    """Say why an LLM may not be asked so, by its newest trial: None where there was none."""
    if learnt is None:
        return sentence(
            "“{llm}” was not tried there yet: which form of JSON it takes, whether a temperature, and "
            "what it calls its longest answer would turn out in the middle of the run. A trial sends a "
            "made-up dialogue and takes seconds: “Try it first” on the page that starts it, or "
            "manage.py judge probe.",
            llm=llm,
        )
    if "json" not in learnt:
        return sentence(
            "“{llm}” gave no answer when it was tried last. Mend what stood in the way, and try it "
            "again.",
            llm=llm,
        )
    if has_temperature and "temperature" not in learnt:
        return sentence(
            "“{llm}” was tried without a temperature. Try it with one, or leave it empty.", llm=llm
        )
    if has_temperature and learnt["temperature"] == Taken.NO:
        return sentence(
            "“{llm}” takes no temperature, as a trial has shown. Leave it empty.", llm=llm
        )
    if in_json and "rung" not in learnt and "by_plain" not in learnt:
        return sentence(
            "The last trial of “{llm}” broke off before it was known in which form of JSON it answers. "
            "Try it again.",
            llm=llm,
        )
    if in_json and "rung" not in learnt:
        return sentence(
            "“{llm}” gave no answer in JSON that can be read, whichever way it was asked for one, as a "
            "trial has shown. Have it answer plainly, or try it again.",
            llm=llm,
        )
    return None
