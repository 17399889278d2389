"""How a text stands to each choice that it names: said, denied, doubted, quoted, or just named.

The names have been replaced by marks, one private character a choice, so that no word inside a
name ("不实陈述", "4 out of 5") is taken for a word about it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile

from judging.parsing.clauses import is_of_plain_words
from judging.parsing.plain import CROSS
from judging.parsing.quotations import (
    is_attributed,
    is_open_report,
    reports,
    without_quotes_told,
)
from judging.parsing.voices import greets, introduces, is_conditional, is_own

FIRST_MARK, LAST_MARK = 0xE000, 0xF8FF
MARK = "[\ue000-\uf8ff]"
HERE = "\x01"  # where the choice stands that a pattern of what comes before it is about


class Stance(StrEnum):
    """What a text does with a choice."""

    SAID = "said"
    DENIED = "denied"
    DOUBTED = "doubted"
    IMAGINED = "imagined"
    JOINED = "joined"
    QUOTED = "quoted"
    NAMED = "named"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One choice where a text names it; `is_final` where the text calls it its last word,
    `is_chosen` where it is said to be the one that is chosen."""

    choice: int
    stance: Stance
    start: int
    is_final: bool = False
    is_chosen: bool = False
    leads: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """What leads to a choice, and follows one, where it is said: they differ for names and numbers."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    goes_on: re.Pattern[str]
    doubt: re.Pattern[str]
    called: frozenset[str] = frozenset()  # the names of what is rated
    is_headed: bool = False


_SENTENCE = re.compile(
    r"[^\n。！？!?;；.]*(?:\.(?=[\w\"'])[^\n。！？!?;；.]*)*(?:[。！？!?;；.]+[\"')\x03]*|\n|$)"
)
_PART = re.compile(
    r",|:(?!\s*\x02?$)|\s[-–—]+\s|(?<!\w)(?:(?<!anything )(?<!nothing )(?<!everything )(?<!all )but|however|though|although|(?<!not )yet|whereas|while|because|since|so|hence|thus"
    r"|therefore|making|which makes|and(?=\s+(?:is|so|it|i|this|that|falls|fits|thus|therefore|should be|earns|merits|deserves|warrants"
    r"|gets|scores|receives|rates|would|chose|choose|settled|went)\b)"
    r")(?!\w)|但是?|而是|然而|不过|因此|所以|因而|从而|故而",
    re.IGNORECASE,
)
_BEFORE_COLON = re.compile(rf"^.*{MARK}(?=[^\ue000-\uf8ff]*:)")
_COLON = re.compile(r"^.*(?=.{18}:\s*\x02?$)")
_IDIOM = re.compile(
    r"\b(?:there(?:'s| is) )?(?:no|without(?: a| any)?|beyond(?: a| any)?) (?:doubt|question|hesitation)(?: that)?\b"
    r"|\bundoubtedly\b|\ball things considered\b|\bnot (?:bad|great|perfect|ideal|terrible|outstanding|exceptional|stellar|amazing|awful|horrible)\b"
    r"|\bthat could (?=(?:hurt|harm)\b)|可能(?=(?:对[^,，。;]{1,8})?(?:伤害|危害)最大)|\bnot only\b|\bnone other than\b|\bnothing (?:but|other than)\b|\bmost likely (?=label|category|class|answer|score|rating)|\bno other \w+ (?:fits"
    r"|applies) but\b|\ball signs point to\b"
    r"|不如说?|不得不|毫无疑问|无疑|不得不说|不可否认|无可否认|不仅|不但|无非|不妨|最可能的(?=标签|类别|分类|评分|分数)",
    re.IGNORECASE,
)
_DENIAL_BEFORE = re.compile(
    r"\b(?:not|cannot|no|never|without|rather than|instead of|neither|nor|than|unlike|hardly|barely"
    r"|far from|(?:any|every)thing but|all but|except|exclud\w+|avoid\w*|rul(?:e[sd]?|ing) out|reject\w*|dismiss\w*"
    r"|fails?|failed|nothing|none|lack\w*|free of|absent|(?:well|far|clearly) (?:above|below|beyond)|such as|compared (?:to|with)|as opposed to|(?:wrong|incorrect|unfair|mistake|inaccurate) to|asked to|told to|short of|stops? short|ought to have|should have"
    r"|(?:initial|original|previous) (?:score|rating|label|verdict|answer|choice|impression)|initially|at first|first thought|(?:down|up|lowered|raised|reduced|increased|revised|changed|adjusted) from|previously|earlier|originally|had (?:said|given|rated))\b|n't\b|^\W*(?:to (?:reach|get(?: to)?|earn|merit|deserve|receive|obtain|be)|for) (?:an? )?(?:full |perfect )?(?:score of )?\W*$"
    r"|≠|要想?(?:达到|得到|拿到|获得|评到|升到)|(?:远|明显|显著)[高低]于|[不非没未莫]|无(?!论)|并非|而非|排除|与其|避免|难以|谈不上|(?:距离?|离)\s*$|看似|貌似|表面上?|先前|此前|起初|最初|初[评判]|先(?=[打给评判])|原本|原以为|一开始|本来",
    re.IGNORECASE,
)
_OWN_TURN = re.compile(
    r"(?P<before>.*?)[,;，；]\s*(?:(?:so|therefore|thus|hence|and|but|yet|which|still|nevertheless|this|that)\s+){0,2}"
    r"(?:i(?:'d| would|'ll| will| have to| can only| must)? (?:rate|give|score|assign|label|choose|classify|go with|write|answer|say|report)\b|(?:earns?|merits?|deserves?|warrants?)\b"
    r"|(?:因此|所以|故|综上|最终|但?我(?:的|仍|只|还是|最终)?(?:给|打|评|选|判|结论|答案|认为)|我?不予(?:理会|采纳|考虑)|我?(?:已)?(?:忽略|无视)|我?(?:没有|并未|不)(?:采纳|理会|照做))"
    r"|(?<=but )(?:the|my) (?:answer|label|score|rating|verdict) is\b)"
    r"|(?P<ignored>.*?\b(?:ignoring|ignored|disregarding|disregarded|dismissed|notwithstanding)\b[^,;:]{0,60}[,;:])",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r"^\W*(?:no|不|否)\s*[:,，]\s*", re.IGNORECASE)  # "Nonsense? No: …"
_LISTED_BEFORE = re.compile(
    rf"(?:{MARK}\x03?(?:\s*[,、/&]\s*|\s+(?:and|or|nor)\s+|\s*[和与及或]\s*)\x02?)+$", re.IGNORECASE
)
_PREFERRED = re.compile(
    rf"{MARK}\x03?\s*(?:over|rather than|instead of|而非|而不是)\s*\x02?$", re.IGNORECASE
)
_LIST = rf"(?:[\s,、/]*(?:and|or|nor|和|或|与|以及|及)?\s*{MARK})*"
_DENIAL_AFTER = re.compile(
    rf"{_LIST}\s*\)?\s*(?:分|星)?\s*(?:(?:at first|initially|earlier|originally|previously)\b|before(?=\s*(?:$|[.,;]|(?:it|this|that|the)\b))|tomorrow\b|yesterday\b"
    rf"|(?:last|next) time\b|(?:\(|[:=>→-]+)\s*(?:also )?(?:not(?=\s*\))|rejected|excluded|ruled out|discarded|not chosen|wrong|invalid|withdrawn|retracted|void)\b|(?:is|was|comes?|came|would be) (?:an? |the )?(?:close )?(?:second|runner-up)\b|给不了|不能给|够不上|达不到|没到"
    rf"|[:=–-]\s*(?:not(?! (?:higher|lower|more|less|quite|only|because|an?|\d))|absent)\b|-free\b|\s*[–—]\s*(?:no|n/a|none|否)(?=\s*(?:$|[.,;，；。\n]))|[?？]*[\s:=|>(-]*(?:no|false|none|not applicable|n/a|does not apply"
    rf"|doesn't apply|否|不是|没有|无|不|不符合|不属于|不成立|不存在|不适用)(?=\s*(?:$|[^\w\s\ue000-\uf8ff]|\n))|[?？:=|>\s-]*(?:{CROSS}|0(?:\.0+)?\s*%)"
    r"|(?:(?:is|was|are|were|would be|will be|seems|can be|could be|may be|has been|have been"
    r"|does|do|did|should be)\s*(?:both\s+|all\s+|clearly\s+|also\s+)?)?(?:not\b|n't\b|too\b|ruled out|"
    r"excluded|out of the question|unlikely|inappropriate|wrong|incorrect|rejected|absent|less)"
    r"|(?:isn|wasn|doesn|don|didn|aren|weren|won|wouldn|can)'?t\b|cannot\b|fails?\b"
    r"|in my book would (?!be\b)\w+|[^.。\n(:]{0,30}\band (?:it|this|that) (?:is|was|does)(?: not|n't)(?=\s*(?:[.!]|$))|would be (?!my|the|fair|right|appropriate|a fair|best|equally|just as|also)|would (?!(?:be|fit|apply|work|suit)\b)\w+|would\s*$|would (?:fit|apply) if\b|,?\s*(?:it|this|that) (?:is"
    r"|was|does|did)(?: not|n't)(?=\s*(?:$|[.,;!]))|requires?\b|(?:is|was) (?:described|defined)\b|is (?:the|an?|its) (?:number|index|position)\b|[,;]?\s*not (?:this|the) (?:one|reply|response)\b|is\s*\x02|means?\b|stands for\b|refers to\b|denotes\b|(?:was|seemed) (?:my|the) (?:first|initial) \w+"
    r"|(?!\s*(?:[–—-]|,?\s*(?:because|since|as)\b))[^.。\n(:]{0,30}\b(?:but|yet|although|though) (?:it |this |that )?(?:is|does|did|was)(?: not|n't)\b|[^。\n]{0,12}但(?:并)?不是|不(?:成立|符合|适用|对"
    r"|合适|恰当|准确|正确)|过于|过高|过低|太|偏|(?:可以?|被|均|都)*排除|并不|则不|都不|是指|指的是|要求|需要|则(?:是|为|表示|意味))",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"^\s*\([^()\n\ue000-\uf8ff]{1,40}\)(?= [a-z])")  # "Level 4 (warm) requires"
_SIGNED_NO = re.compile(r"^[\s>*•-]*(?:[❌✗✘✖☐🚫]|\[[ \t]*\])[\s\x02]*$")  # "❌ A"
_DOUBT_BEFORE = re.compile(
    r"\b(?:doubt|might|may|could|maybe|perhaps|possibl[ey]|probabl[ey]|likely|potential(?:ly)?|arguably"
    r"|seems?|appears?|looks? like|sounds? like|close to|border(?:s|ing|line)?|almost|nearly|somewhat"
    r"|partly|partially|lean(?:s|ing)?|tend(?:s|ing)?|unsure|uncertain|either|between|guess|guessing"
    r"|suspect|if|whether|unless|tempted|hesitat\w+|inclined|suppose|provided|assuming|depending|torn"
    r"|presumably|tentative(?:ly)?|bordering|verges?|verging|resembl\w+|traits|elements|hints|aspects"
    r"|touch(?:es)?|signs|(?<!be )(?<!is )considered|considering|consider(?! (?:this|it|that|the (?:reply|response))\b)|compared|versus|vs)\b"
    r"|一般(?:来说|而言|都|(?=[属归会算判是]))|通常|往往|几乎|将近|快要|可能|也许|或许|大概|似乎|好像|看起来|看上去|疑似|倾向|接近|近似|(?<!没)有点|有些|介于|之间|勉强|如果|若|假如|倘若|是否|不确定|估计|猜|恐怕|八成|多半|差不多|也(?:可以?|能|行)",
    re.IGNORECASE,
)
_DOUBT_AFTER = re.compile(
    r"\s+(?:might|may|could) (?:well |also |even )?be\b|\s+(?:would|could|might|also|fits|works|applies|is possible)\b[^.;,\n]{0,20}\b(?:as well|too|equally)\b|[\s,]*(?:分|星)?[\s,:]*(?:\(\s*[?？]+\s*\)|\(?\s*(?:(?:perhaps|maybe|possibly)(?! (?:generous|harsh|strict)\W*$)|probably|likely|i guess|i suppose|tentative"
    r"|approx\w*|or so|give or take|more or less|plus or minus|ish|at (?:least|most|best)|(?:or|and) (?:higher|lower|above|below|more|less|better|up|over))\b"
    r"|[.…]*\s*or (?:rather|something|maybe|perhaps)\b|的?(?:成分|元素|影子|色彩|嫌疑)|之嫌|吧|左右|上下|或?以上|或?以下|以内|不到|出头|至少|[?？]|-ish|[+%~]|(?<!\s)-(?=\s*\Z)|as an? (?:placeholder|default)\b|(?:(?:but|and|though|albeit|only) ){0,2}(?:if(?! (?:only|(?:i|we) (?:must|have to|had to))\b)|unless|until|were it not|had it|before the)\b|(?:is|are) (?:only )?(?:\w+ )?(?:only )?(?:if|unless|when(?:ever)?|where|for (?:an?|any|replies|responses))\b|如果|除非|直到)",
    re.IGNORECASE,
)
_WOULD_BE = re.compile(r"\b(?:would|could) (?:be|become|get|receive|earn|deserve)\b", re.IGNORECASE)
_WOULD_RAISE = re.compile(  # "which would raise it to 4"
    r"\b(?:would|could|might) (?:have )?(?:raised?|bring|brought|lift(?:ed)?|push(?:ed)?|moved?|bump(?:ed)?|increased?|make|made|take|get|elevated?) (?:it|this|the (?:\w+ )?(?:score|rating|reply|response)) (?:up )?(?:to )?(?:an? )?\W*$",
    re.IGNORECASE,
)
_IF_IT_WERE = re.compile(  # "It would be a 5 if it had named her grief"
    r"\s*(?:分|points?\b|stars?\b)?[\s,]*(?:if (?!i\b|we\b|forced\b)|had it\b|were it\b|with (?:an?|some|more|another|one)\b)",
    re.IGNORECASE,
)
_WITHIN_BRACKETS = re.compile(r"(?i)\s*(?:分)?\s*(?:if|had|were|with|would)\b")  # "(5 if it had …)"
_WEIGHED = re.compile(  # "I considered giving a": thought of, and not given
    r"\bi (?:had |have )?(?:also |briefly |first |even )?(?:considered|contemplated|thought (?:of|about)|was tempted to|toyed with)\b",
    re.IGNORECASE,
)
_OTHERS_MIGHT = re.compile(  # "a stricter reader might say", "some parts could earn"
    r"\b(?:some|certain|a few) (?:parts|aspects|elements|sentences|moments) (?:may|might|could|would) (?:well |even |also )?(?:deserve|merit|earn|reach|warrant|get)\b"
    r"|\b(?:one|i) (?:may|might|could|was|am) (?:be )?tempted to\b|\b(?:another|others?|some|an?|(?:stricter|harsher|more \w+)) (?:[\w-]+ ){0,2}?(?:(?:raters?|readers?|judges?|graders?|reviewers?|evaluators?|annotators?|clinicians?|people) )?(?:may|might|could) (?:well |even |also )?"
    r"(?:say|give|argue|assign|choose|rate|score|label|call|see|prefer|go|classify|pick|consider)\b",
    re.IGNORECASE,
)
_WOULD_HAVE = re.compile(
    r"\b(?:would|could|might) have (?:been|earned|received|merited|deserved)\b"
    r"|(?:如果|若|假如|一旦)(?!干)[^,，。;\n]{1,20}?(?:则|就会|便会|应)|(?:虽然?|尽管)[^,，。;\n]{0,20}?(?:可以?|能|会)(?:给|打|评|得)[到出]?\W*$",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"\W*(?:for|in|of|to) (?:an?|any|another|some|most|other)\b"
    r"|[^.;\n]*\b(?:with (?:one|some|more|another|any|an? (?:bit|little|follow|second|warmer|better))|if|had it|were it|once)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:not|n't) (?:entirely |completely |really |very |fully |quite |100% |at all |too )?(?:sure|certain|confident)\b"
    r"|\bunsure\b|\buncertain\b|\b(?:hard|difficult|impossible|tough) to (?:say|tell|decide|choose|judge|determine)\b"
    r"|\b(?:low|little) confidence\b|\beither way\b|\bon the fence\b|\bcan(?:'t|not) (?:decide|choose|tell)\b"
    r"|\btoss[- ]?up\b|\bi(?:'m| am) torn\b|\bdon't know\b|\bdo not know\b|\btake (?:this|it) with\b"
    r"|不太?确定|不敢肯定|难以(?:确定|判断|抉择|取舍)|很难说|说不准|拿不准|说不清|不好说|不知道|无法确定|两可|没把握|把握不大",
    re.IGNORECASE,
)
_DOUBTS_ITSELF = re.compile(  # "Score: 3. Hmm, maybe that is too low."
    r"(?:[.!?。！？,;，；\n]|^)[^\w\n]*(?:(?:but|though|although|however|hmm+|actually|perhaps|maybe|但是?|不过|再想想|其实)[,，]?\s*)*"
    r"(?:i(?:'m| am) not (?:\w+ )?(?:convinced|satisfied)|i (?:\w+ )?doubt (?:it|this|that)|(?:(?:it|this) (?:may|might|could|seems|feels|looks)|(?:that|(?:the|my) (?:score|rating|label|answer)) (?:may|might|could|seems|feels|looks|is|was))"
    r"(?: be| perhaps| maybe| probably| a (?:bit|little|touch)| slightly| somewhat| rather| far| much)* too (?:high|low|generous|lenient)"
    r"|(?:这|给分|评分)?(?:可能|也许|或许|似乎|好像)(?:有点|有些|还是|是)?[太偏过](?:高|低|严|宽)了?)(?:, (?:though|however))?\W*\Z",
    re.IGNORECASE,
)
_JOINT = re.compile(
    rf"\s*\x03?\s*(?:\(?\s*(?:or|versus|vs\.?|and|and/or|to|but)(?!\w)|[/|&,、~–—→⟶+-]|->|=>|或者?|和|与|及|以及|还是|至|到|并|兼)"
    rf"\s*(?:also |possibly |perhaps |maybe |rather |even |也?可能是?|者|a |an |the |,)?\s*\x02?\s*({MARK})",
    re.IGNORECASE,
)
_LOOSE_OR = re.compile(r"\s*\x03?\s*(?:\.{2,}|…)?\s*(?:or(?!\w)|或(?!许))", re.IGNORECASE)
_FINAL = re.compile(
    r"\b(?:sorry|no,? wait|wait|meant|(?:it|that|this) should be|final(?:ly)?|in conclusion|to conclude|conclusion|overall|therefore|thus|hence|in sum(?:mary)?"
    r"|my (?:verdict|answer|rating|score|label)|actually|correction|corrected|revised|so)\b"
    r"|最终|最后|综上|总结|因此|所以|结论|故|总的来说|综合|更正|修正|终[评判]|改[为成判]|不对[,，]",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\bi(?:'d| would|'ll| will)? (?:choose|chose|select|selected|pick|picked|prefer|go with|settle on|opt for|conclude|decide)\b|\b(?:and"
    r"|but)(?: i)?(?: finally| ultimately| eventually)? (?:chose|choose|settled? on|went with|land(?:ed)? on)\b"
    r"|\b(?:correct|right|best|chosen|selected|assigned|my(?: own)?|(?:most )?appropriate|best[- ]fitting) (?:label|answer|score|category|choice|rating|option|class\w*|fit|match)\b|\bthe (?:label|category) (?:is|that applies)\b"
    r"|\b(?:decision|verdict|choice|pick)\b\s*(?:is|:)|\bin the end\b|\bmo(?:re|st) (?:harmful|severe|serious) (?:\w+ )?is\b|\bcould (?:hurt|harm) [\w ]+ most\b|(?:伤害|危害)最大|我(?:选|判|定)|[,，]选|(?:正确|恰当|合适)的?(?:标签|答案|类别|选项)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^[^\w\ue000-\uf8ff]*(?:(?:a|an|the)\s+)?(?:(?:solid|clear|strong|firm|definite|full)\s+)?[^\w\ue000-\uf8ff]*$",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"\b(?:in (?:conclusion|short|sum|summary|total|my (?:view|opinion|judge?ment))|to (?:conclude|summari[sz]e|sum up)|all in all|overall|therefore"
    r"|(?:all things|everything) considered|edit|update|revised|no,? wait|sorry|to be (?:precise|exact|fair|honest|clear|frank|specific)|unfortunately|sadly"
    r"|honestly|frankly|personally|just|only|still|easily|simply|absolutely|thus|hence|so|finally|in the end|okay|ok|well|sure|certainly|definitely|clearly|obviously"
    r"|plainly|hmm|yes|actually|wait|correction"
    r"|on (?:reflection|balance|second thoughts?|re-?reading|closer (?:look|inspection|reading)))\b[,:.]?"
    r"|综上(?:所述)?|因此|所以|总之|最终|最后|总的来说|综合来看|总体而言|好的|显然|明显|其实|更正|刚好|正好|恰好|那就|就是|就",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    rf"(?:\b(?:not|n't|neither|nor|no|at first|initially)\b|不|非|起初|最初|一开始|乍看)[^.。;；\n]*{MARK}[^.。;；\n]*?(?:,|，|:|\bbut\b|\bso\b|而是|实则|其实)\s*(?:but|rather"
    rf"|instead|then|so)?[\s,]*(?:(?:in the end|ultimately|finally|in fact|on reflection)[\s,]*)?(?:it is|it's|就?是|应为|属于)?[\s\x02]*(?:a |an |the )?[\s\x02]*$",
    re.IGNORECASE,
)


_UP_TO = re.compile(
    r"[^\n]*?(?=$|\n|[.,;:!?(—–\x02\x03。！？]|\s-|\b(?:because|since|as|given|due|and|but|for|by)\b|因为|由于)",
    re.IGNORECASE,
)
# With which a writer begins to think of a verdict anew.
ANEW = (
    r"(?<![A-Za-z])(?:wait|hold on|hmm+|actually|(?:let me |i )?re-?(?:read|check|consider|examine?|think)(?:ing)?|let me (?:double|think|check|look)"
    r"|look(?:ing)? (?:again|closer)|at second glance|on (?:reflection|re-?reading|second thoughts?|(?:a )?(?:second|closer) (?:look|reading|inspection|thought)))(?![A-Za-z])"
    r"|等等|(?:仔细)?再(?:看|想|读)|仔细看|重新"
)
_CORRECTION = r"correction|scratch (?:all (?:of )?)?(?:that|this)|let me (?:reconsider|correct|revise)|更正|修正"
_MUSES = (
    r"\W*(?:(?:no|wait|hold on|hmm+|sorry|actually|on (?:reflection|second thoughts?))[,.… –—-]+)*"
)
_TAKES_BACK = re.compile(  # a sentence after which what was said before is said anew
    rf"{_MUSES}(?:等等[,，…]*)?(?:{_CORRECTION}|i (?:overlooked|missed|misread|made a mistake|was wrong|take (?:that|it) back)|(?:that(?:'s| is| was)|this (?:is|was)) (?:wrong|incorrect|a mistake|not right)"
    r"|(?:it|that|this|the (?:label|score|answer|rating)) (?:is|was|does|did)(?: not|n't)(?: (?:right|correct|fit|apply))?(?=\W*$)"
    r"|(?:(?:其实)?(?:不对|不是|作废)(?=\W*$)|刚才(?:看|打|评|判)错|我(?:漏看|看错|忽略)))(?![\w ]*\?)",
    re.IGNORECASE,
)
_CORRECTS = re.compile(  # the same, whatever is said behind it
    rf"{_MUSES}(?:{_CORRECTION})", re.IGNORECASE
)
_LOOKS_AGAIN = re.compile(  # what is said behind it may be said anew, or be kept
    rf"\W*(?:no[,.… –—-]+)*(?:{ANEW})(?! for\b|\W*no\W*$)", re.IGNORECASE
)
_BREAKS_OFF_ANEW = re.compile(  # "Score: 4. Hmm, but level 4 requires"
    rf"[.!?。！？,;，；\n][^\w\n]*(?:(?:but|oh|so|但)[,，]?\s*)?(?:{ANEW})[^.!?。！？\n]*\Z",
    re.IGNORECASE,
)
_COUNTERFACTUAL = re.compile(  # "If it had named the guilt, it would have earned a": not so
    r"\b(?:had|were)\b|\bwould have\b|(?:如果|若|假如|(?<![主重])要是)[^。;\n]*[,，]", re.IGNORECASE
)
_OTHERS_LISTED = re.compile(
    r"\b(?:alternatives?|rejected|excluded|discarded|ruled out|runners?-up)\b[^.\n:]{0,30}:[\s\x02]*$|\bnone of (?:these|the following):\s*$",
    re.IGNORECASE,
)
_NONE_OF = re.compile(  # "No faults of these kinds: A, B", all of them denied
    rf"\W*(?:no|none of|(?:经\w{{0,6}},)?(?:未(?:发现|见|出现)|没有|不存在))(?:\s+\w|[\u4e00-\u9fff])[^.。\n:\ue000-\uf8ff]{{0,60}}:[\s\x02]*(?:{MARK}\x03?(?:\s|[,、/;]|\band\b|\bor\b|[和或及])*\x02?)*\Z",
    re.IGNORECASE,
)
_REMARKED = re.compile(
    rf"(?m)^[ \t]*(?:[-*•]|\d{{1,2}}[.)、])[ \t]*\x02?(?P<mark>{MARK})\x03?[ \t]*(?::|\s[–—-])(?=[ \t]*\S)"
)
_PLACE = re.compile(  # where else it is given: "4 on the website"
    r"\s*(?:分|points?\b|stars?\b)?\s*\b(?:on|in|at|from) (?:the|its|his|her|their|our|an?|some) [\w '-]{1,30}(?=\s*(?:$|[.,;!\n]))",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"[^\W\d](?<!\bafter)(?<!\bbefore)(?<!\bthen)(?<!\bnow)[^\w\ue000-\uf8ff]*:[\s\x02(]*$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:actually|wait|hmm+|hold on|sorry)[,.… –—-]*(?:no|not really|never mind|neither)\W*$",
    re.IGNORECASE,
)
_FAR = 400  # characters before a name that can be about it
MOST_MENTIONS = 200


def mentions(text: str, cues: Cues) -> list[Mention]:
    """Return every mention of a choice in a marked text, in order."""
    if not re.search(MARK, text):
        return []
    found, line_before, is_told = [], "", greets(text)
    is_revised = is_anew = False
    enumerated = _enumerated(text)
    for sentence in _SENTENCE.finditer(text):
        here = [
            _mention(
                sentence.start() + one.start(), sentence[0], one.start(), text, cues, line_before
            )
            for one in re.finditer(MARK, sentence[0])
        ]
        if is_revised:
            here = [replace(one, is_final=one.stance is Stance.SAID) for one in here]
        found += [replace(one, stance=Stance.QUOTED) for one in here] if is_told else here
        if sentence[0].strip():
            line_before = sentence[0]
            is_anew = not here and (is_anew or _LOOKS_AGAIN.match(sentence[0]) is not None)
            is_revised = is_anew or (not here and _TAKES_BACK.match(sentence[0]) is not None)
    if is_taken_back(text):
        return [replace(one, stance=Stance.DENIED) for one in found]
    return [
        replace(one, stance=Stance.DENIED, leads=False) if one.start in enumerated else one
        for one in found
    ]


def _enumerated(text: str) -> set[int]:
    """Where lines go through several choices, each with a remark behind it: none of them is a verdict."""
    lines = list(_REMARKED.finditer(text))
    is_several = len({line["mark"] for line in lines}) > 1
    return {line.start("mark") for line in lines} if is_several else set()


def is_taken_back(text: str) -> bool:
    """Say whether a text ends with a sentence that takes back what was said before it."""
    sentences = [one[0] for one in _SENTENCE.finditer(text) if one[0].strip()]
    last = sentences[-1] if sentences else ""
    is_denial = _TAKES_BACK.match(last) is not None or _NO.match(last) is not None
    if re.search(MARK, last):
        return False
    behind = takewhile(lambda one: re.search(MARK, one) is None, reversed(sentences))
    return is_denial or (re.search(MARK, text) is not None and any(map(_CORRECTS.match, behind)))


def breaks_off_anew(text: str) -> bool:
    """Say whether a text that was cut off had begun to consider its value again."""
    return _BREAKS_OFF_ANEW.search(text) is not None


def is_unsure(text: str) -> bool:
    """Say whether a text says of itself that it does not know, or ends in doubt of its own verdict."""
    return _UNSURE.search(text) is not None or _DOUBTS_ITSELF.search(text) is not None


def _mention(
    start: int, sentence: str, at: int, text: str, cues: Cues, line_before: str
) -> Mention:
    told = without_quotes_told(sentence[:at])[-_FAR:]
    sentence, at = told + sentence[at:], len(told)
    before = _IDIOM.sub(" ", _since_part(_LISTED_BEFORE.sub("", sentence[:at])))
    after = sentence[at + 1 :].lstrip("\x03")
    stance = _stance(
        sentence[:at], before, sentence[at], after, text[start + 1 : start + _FAR], cues
    )
    if stance is Stance.SAID and not introduces(line_before, cues.called):
        stance = Stance.NAMED
    if stance is Stance.SAID and sentence.rstrip("\"')\x03 \n").endswith(("?", "？")):
        stance = Stance.DOUBTED
    return Mention(
        choice=ord(sentence[at]) - FIRST_MARK,
        stance=stance,
        start=start,
        is_final=stance is Stance.SAID and _FINAL.search(sentence[:at]) is not None,
        is_chosen=stance is Stance.SAID and _is_chosen(sentence[:at], after, cues),
        leads=stance is Stance.SAID
        and start < _FAR
        and _ARTICLE.match(_LEAD_IN.sub("", _IDIOM.sub("", text[:start]))) is not None,
    )


def _is_chosen(before: str, after: str, cues: Cues) -> bool:
    """Say whether a choice is called the one, or is a sentence of its own."""
    is_called = _CHOSEN.search(before) is not None or cues.after.match(after) is not None
    return is_called or (not before.strip(" \x02") and not re.search(r"\w", after))


def _since_part(before: str) -> str:
    parts = list(_PART.finditer(before))
    return before[parts[-1].end() :] if parts else before


def _stance(sentence: str, before: str, own: str, after: str, rest: str, cues: Cues) -> Stance:
    """The first that holds; `sentence` up to the mention, `before` its part, `rest` all behind."""
    is_report = reports(sentence) and reports(_own_words(sentence))
    if is_report or is_attributed(after):
        return Stance.QUOTED
    if _PREFERRED.search(sentence):
        return Stance.DENIED
    is_listed = re.search(MARK, sentence) or _JOINT.match(rest)
    if _OTHERS_LISTED.search(before) or (is_listed and _NONE_OF.match(sentence)):
        return Stance.DENIED
    if _SIGNED_NO.match(sentence):
        return Stance.DENIED
    words = _ANSWERED.sub("", re.sub(MARK, "", _BEFORE_COLON.sub("", before)))
    after = _ASIDE.sub(" ", after)
    if _DENIAL_BEFORE.search(_COLON.sub("", words)) or _DENIAL_AFTER.match(after):
        return Stance.DENIED
    if _WEIGHED.search(words):
        return Stance.IMAGINED
    if _is_joined(sentence, own, rest, cues):
        return Stance.JOINED
    is_wished = (
        _WOULD_RAISE.search(words)
        or (_WOULD_BE.search(words) and _IF_IT_WERE.match(after))
        or (sentence.endswith("(") and _WITHIN_BRACKETS.match(after))
    )
    if is_wished or _OTHERS_MIGHT.search(words) or _WOULD_HAVE.search(words):
        return Stance.IMAGINED
    on_condition = is_conditional(sentence)
    if on_condition and _COUNTERFACTUAL.search(sentence):
        return Stance.IMAGINED
    if _DOUBT_BEFORE.search(words) or cues.doubt.search(words) or _DOUBT_AFTER.match(after):
        return Stance.DOUBTED
    if on_condition or (_WOULD_BE.search(sentence) and _OF_ANOTHER.match(after)):
        return Stance.DOUBTED
    is_called_it = cues.after.match(after) is not None and _is_plain(after, cues)
    if not is_own(sentence, cues.called, is_headed=cues.is_headed or is_called_it):
        return Stance.NAMED
    if (place := _PLACE.match(after)) and not is_of_plain_words(place[0], cues.called):
        return Stance.NAMED
    led_in = _LEAD_IN.sub("", _IDIOM.sub("", sentence))
    if (_ARTICLE.match(led_in) or _CONTRAST.search(sentence)) and cues.goes_on.match(after):
        return Stance.SAID
    is_behind_head = _HEAD.search(sentence) is not None
    is_led_to = (
        is_behind_head or cues.before.search(f"{sentence}{HERE}{after[:12]}") is not None
    ) and not re.match(r"-\w", after)
    return Stance.SAID if is_led_to or is_called_it else Stance.NAMED


def _is_plain(after: str, cues: Cues) -> bool:
    """Say whether the clause behind a choice is of plain words: "A is the best label", not "A is what he wants"."""
    clause = _UP_TO.match(after)
    return clause is not None and is_of_plain_words(clause[0], cues.called)


def _own_words(sentence: str) -> str:
    """What a sentence says from where its writer speaks again: "The reply asks for 5, I give it 4"."""
    turns = [
        one.end("before") if one["before"] is not None else one.end()
        for one in _OWN_TURN.finditer(sentence)
        if not is_open_report(one["before"] or "")
    ]
    return sentence[turns[-1] :] if turns else sentence


def _is_joined(sentence: str, own: str, rest: str, cues: Cues) -> bool:
    """Say whether a choice stands beside another one: "A or B", "A / B", "A, B"."""
    other = _JOINT.match(rest)
    if other is not None and other[1] == own:
        other = None
    if _LOOSE_OR.match(rest):
        return True
    if other is not None:
        return True
    joined_before = re.search(
        rf"(?!{own}){MARK}\s*\x03?\s*(?:\(?(?:or|versus|vs\.?|and|to)|[/|&,、~–—→+;-]|->|或者?|和|与|及|以及|还是|至|到)"
        r"\s*(?:also |possibly |perhaps |maybe |也?可能是?|a |an |the )?\s*\x02?$",
        sentence,
        re.IGNORECASE,
    )
    return joined_before is not None


def said_marks(found: Sequence[Mention], *stances: Stance) -> set[int]:
    """The choices that are mentioned in one of these ways."""
    return {one.choice for one in found if one.stance in stances}
