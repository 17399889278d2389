"""What other files call the fields that are read here: one table, and no guess where two could be meant."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial

from annotation.readers.problems import FileReason, Flaw
from annotation.rubric.sentences import sentence

# {(the field, what may stand in its place already): what else it is called}
Names = Mapping[tuple[str, ...], tuple[str, ...]]

# An LLM as files name it, with its version, size and kind.
LLM = (
    r"(?:(?:chat)?gpt|o[134]|claude|gemini|gemma|palm|bard|llama|alpaca|vicuna|mi[sx]tral|qwen|deepseek"
    r"|(?:chat)?glm|baichuan|internlm|yi|phi|falcon|command|grok|kimi|ernie|doubao|hunyuan|soulchat"
    r"|mechat|emollm|cpsycounx|psychat|mentallama|chatcounselor)"
    r"(?:[\W_]*+(?:v?\d++(?:\.\d++)*+[a-z]?|chat|instruct|it|hf|base|turbo|mini|nano|large|medium|small|pro"
    r"|flash|lite|opus|sonnet|haiku|preview|latest|max|plus|r\d|llama|qwen|distill|api|judge))*"
)
_LLM = re.compile(LLM, re.IGNORECASE)

_OF_ITEMS = (
    "item_id",
    "dialogue_id",
    "dialog_id",
    "conversation_id",
    "conv_id",
    "instance_id",
    "条目",
)
# What numbers the turns of a dialogue.
TURN_NUMBERS = ("turn_id", "utterance_id", "utterance_idx", "轮次")
ITEM_FIELDS: Names = {
    ("key",): ("id", "item", "item_key", *_OF_ITEMS, "编号", "序号"),
    ("dialogue", "turns", "messages", "conversations"): (
        *("context", "dialog", "conversation", "seeker_post"),
        *("question", "questiontext", "prompt", "query", "input", "user_input", "post"),
        *("对话", "问题", "提问", "用户输入"),
    ),
    ("reply",): (
        *("response", "response_post", "answer", "answertext", "answer_text", "completion"),
        *("output", "model_output", "model_response", "回复", "回答", "模型回复", "模型回答"),
    ),
}
OPTIONAL_ITEM_FIELDS: Names = {("generator",): ("model", "model_name", "模型")}
# An “id” or “编号” in a file of ratings may as well be that of the rating.
RATED_ITEM: Names = {("item", "item_key", "key", "convid"): _OF_ITEMS}
RATING_FIELDS: Names = {
    **RATED_ITEM,
    ("rater",): (
        *("rater_id", "annotator", "annotator_id", "worker_id", "workerid", "coder", "evaluator"),
        *("judge", "judge_model", "评分者", "评委", "标注者", "标注员"),
    ),
}
LONG_FIELDS: Names = {
    ("criterion",): ("criteria", "dimension", "metric", "aspect", "维度", "指标"),
    ("value",): ("score", "rating", "label", "answer", "分数", "得分", "评分"),
}
OPTIONAL_RATING_FIELDS: Names = {
    ("reason",): (
        *(
            "comment",
            "comments",
            "rationale",
            "rationales",
            "reasoning",
            "explanation",
            "justification",
        ),
        *("remark", "remarks", "理由", "评语", "备注"),
    )
}


def own_names(given: Iterable[str], names: Names, *, optional: Names) -> dict[str, str]:
    """{a name in lower case: the field that it stands for}, of those that have another name here.

    Flaw where two could be one field; of an optional one then none is read.
    """
    found: dict[str, str] = {}
    given = set(given)
    for (field, *instead), others in (*names.items(), *optional.items()):
        meant = [] if given & {field, *instead} else [one for one in others if one in given]
        if len(meant) == 1:
            found[meant[0]] = field
        elif meant and (field, *instead) in names:
            raise Flaw(
                meant[0],
                FileReason.WRONG_SHAPE,
                sentence(
                    "Both “{one}” and “{other}” could be the {field}. Say which: {one} = {field} or "
                    "{other} = {field}.",
                    one=meant[0],
                    other=meant[1],
                    field=field,
                ),
            )
    return found


def by_header(names: Names, *, optional: Names) -> Callable[[tuple[str, ...]], dict[str, str]]:
    """`own_names` for the rows of a file, found once for all that have the same fields."""
    return lru_cache(maxsize=64)(partial(own_names, names=names, optional=optional))


def renamed(fields: Mapping[str, object], own: Mapping[str, str]) -> dict[str, object]:
    """The fields under the names that they have here."""
    return {own.get(name, name): value for name, value in fields.items()}


@lru_cache(maxsize=1024)
def is_named_as_llm(name: str) -> bool:
    return bool(_LLM.fullmatch(name))
