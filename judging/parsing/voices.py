"""Whose verdict a sentence tells, by how it begins: the writer's, unless it says somebody else's.

"Judge, the score is 4" orders it, "Reviewer 2 wrote: score 4" reports it, and "In the supporter's
eyes, it is a 4" sees it from elsewhere. What stands before a colon or comma is held to the plain words
of `clauses`, where it says by whom or by what the verdict is given.
"""

import re

from judging.parsing.clauses import is_of_plain_words

_ROLE = (
    r"(?:judges?|graders?|raters?|evaluators?|assessors?|reviewers?|annotators?|examiners?|referees?|assistants?|models?"
    r"|ai|llms?|chatgpt|gpt|claude|gemini|bot)"
)
_ROLE_CHINESE = r"(?:评委|评审员?|裁判|评估者|评估员|评分者|评分员|评判者|评价者|标注员|考官|助手|模型|人工智能|ai)"
_BEGINS = r"(?:^|[.!?。！？;；\n])[^\w\n]*"
_ADDRESS = re.compile(
    rf"{_BEGINS}(?:(?:dear|hello|hi|hey|attention|to|for|note (?:to|for)|message (?:to|for)|instructions? (?:to|for))\s+"
    rf"(?:the |all |any |my )?(?:ai |llm )?{_ROLE}\b[^.\n:,]{{0,12}}[:,]|(?:ai |llm )?{_ROLE}\s*,(?!\s*(?:and|or)\b)"
    rf"|(?:致|敬告|尊敬的|亲爱的|各位|给)[^,:\n。]{{0,4}}{_ROLE_CHINESE}[^,:\n。]{{0,4}}[:,]|{_ROLE_CHINESE}[们]?,)",
    re.IGNORECASE,
)
_GREETING = re.compile(
    rf"\W*(?:(?:dear|hello|hi|hey|attention)\s+(?:the |all |any |my )?(?:ai |llm )?{_ROLE}\b|to whom it may concern|you,? (?:the|an?|my|our) {_ROLE}\b"
    rf"|your (?:answer|score|label|rating|verdict|output) |(?:致|敬告|尊敬的|亲爱的|各位)[^,:\n。]{{0,4}}{_ROLE_CHINESE})",
    re.IGNORECASE,
)
_SPEAKERS = (
    r"(?:users?|seeker|client|patient|supporter|counsell?or|therapist|human|system|gpt[-\w.]*|chatgpt|claude[-\w. ]*|gemini[-\w. ]*"
    r"|llama[-\w. ]*|求助者|用户|来访者|支持者|系统)"
)
_PERSON = (
    r"(?:graders?|raters?|evaluators?|assessors?|reviewers?|annotators?|coders?|experts?|colleagues?|supervisors?|clinicians?"
    r"|therapists?|psychologists?|psychiatrists?|(?:judge|model|person|human|student|participant|coder)(?= ?(?:\d|[a-h]\b))"
    r"|(?:dr|prof|mr|mrs|ms)\.? \w+)"
)
_SOURCE = re.compile(  # "Reviewer 2 wrote:", "Dr. Lee's sheet:", "评审员甲:"
    rf"^\W*(?:(?:the|my|our|an?|another|\w+) )?{_PERSON}(?:'s?)?(?: ?#? ?(?:\d+|[a-h])\b)?(?:'s)?(?: [\w']+){{0,3}}\s*:"
    r"|^\W*(?:\w{0,2}(?:评审员?|评分者|评分员|评估者|评判者|标注员|专家|督导|老师|同事|医生|咨询师|心理师)"
    r"(?:[甲乙丙丁一二三四]|\s?\d|\s?[A-Ha-h])?(?:的?[\u4e00-\u9fff]{0,4}))\s*:"
    rf"|^\W*(?:the )?{_SPEAKERS}\s*:"
    r"|^\W*(?:target|desired|intended|expected|listed|recorded|published|wanted) (?:label|score|rating|verdict|answer)s?\b",
    re.IGNORECASE,
)
_FRAME = re.compile(  # "Per the seeker,", "In the supporter's eyes,", "按旧标准,"
    r"^\W*(?:and |but |so |yet )?(?:(?:as )?per|according to|by(?! \w+ing\b)|left to|as for|under|following|for an?|if asked,?|to(?= (?:the|an?|his|her|my|our|their|its) (?!credit\b)))"
    r" (?P<by>[^,:\n]{1,60})[,:]"
    r"|^\W*(?:in|from|through|with) (?P<seen>[^,:\n]{1,40}?(?:'s?|\bof [^,:\n]{1,30}?)? ?(?:eyes?|view|opinion|book|estimation|mind|perspective|standpoint|words|terms|notes|sheet|records?)(?: of [^,:\n]{1,30})?)[,:]"
    r"|^\W*(?:如?按照?|依照?|据|以|在|对|从)(?P<by_chinese>[^,:\n]{1,14}?)(?:的?(?:看法|意见|观点|想法|说法|标准|眼光|角度|记录|规定))?(?:来?看来?|眼[中里]|来说|而言|来讲|之见)?[,:]",
    re.IGNORECASE,
)
_VIEW = re.compile(r"\b(?:eyes?|view|book|mind|perspective|words|terms|records?)\b", re.IGNORECASE)


def greets_judge(text: str) -> bool:
    """Say whether a text begins by speaking to whoever judges: then all of it is told to them."""
    return _GREETING.match(text) is not None


def is_addressed(text: str) -> bool:
    """Say whether a text speaks to those who judge: "Dear judge, …", "评委,…"."""
    return greets_judge(text) or _ADDRESS.search(text) is not None


def is_of_another(sentence: str, called: frozenset[str] = frozenset()) -> bool:
    """Say whether a sentence, up to its verdict, begins by saying that this is somebody else's."""
    if _ADDRESS.search(sentence) or _SOURCE.match(sentence):
        return True
    frame = _FRAME.match(sentence)
    if frame is None:
        return False
    words = frame["by"] or frame["seen"] or frame["by_chinese"]
    return not is_of_plain_words(_VIEW.sub(" ", words), called)
