"""Which number a text gives as a score.

Only a number that stands as a score is one: alone, in front, or behind words such as "score" or
"I give it". A number that counts something ("2 pieces of advice"), names something ("GPT-4",
"turn 3") or heads a list is none.
"""

import re
from collections.abc import Collection
from functools import lru_cache

from annotation.rubric.schema import Scale
from judging.parsing.plain import folded, plain
from judging.parsing.polar import NO_WORDS, YES_WORDS
from judging.parsing.quotations import without_quotations
from judging.parsing.stances import FIRST_MARK, HERE, MARK, Cues
from judging.parsing.verdicts import verdict_of
from judging.parsing.written import WrittenAnswer
from judging.rules.outcomes import Outcome
from judging.rules.questions import Unreadable

_WORDS = {
    **dict(
        zip(
            ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
            range(11),
            strict=True,
        )
    ),
    **dict(zip("零一二三四五六七八九十", range(11), strict=True)),
    "〇": 0,
    "两": 2,
}
_ROMANS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
_ROMAN = re.compile(r"\A(\W*(?:[A-Za-z ]{1,20}:\s*)?)(II|III|IV|V|(?<=: )I)(?=\W*\Z)")
_CHINESE = "零〇一二两三四五六七八九十"
_ENGLISH = "zero|one|two|three|four|five|six|seven|eight|nine|ten"
_DIGITS = r"[+-]?\d{1,9}(?:\.\d+)?"
_TO = r"\s*(?:-\s*to\s*-|-|–|—|~|至|到|to|through|and)\s*"
_END_OF_IT = r"(?:\s*[,;:]\s*\d+\s*=\s*[^()\d\n]+(?=\)))?"  # "(0–10; 10 = very warm)"
_SCALES = (
    re.compile(
        rf"(?:\bon |\busing |\bin |\bwith )?(?:a |the |this |my )?(?:scale|range)\s*(?:of|from|is|:|\()?\s*(-?\d+){_TO}(\+?\d+){_END_OF_IT}\)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:\bon |\busing )?(?:a |the )?\(?(\d+){_TO}(\d+)\)?[- ]?(?:point )?(?:\w+ )?(?:scale|range|分制|的?量表|的?范围){_END_OF_IT}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:从|在|按照?|依照?|根据|范围(?:是|为)?)\s*(\d+)\s*分?{_TO}(\d+)\s*分?(?:的?(?:量表|范围|尺度|标准))?(?:上|中|内|之间)?"
    ),
    re.compile(rf"(?:标准|量表|区间|范围)[^\d\n]{{0,4}}(\d+)\s*分?{_TO}(\d+)\s*分?"),
    re.compile(rf"(?<=rate it )(?:from )?(\d+){_TO}(\d+)", re.IGNORECASE),
    re.compile(
        rf"\b(?:scores?|ratings?) (?:are|is|ranges?|go|run) (?:given )?(?:from|between) (\d+){_TO}(\d+)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"[(\[]\s*(?:scale\s*)?(?:from\s*)?(\d+)\s*分?{_TO}(\d+)\s*分?\s*[)\]]", re.IGNORECASE
    ),
)
_SCALES_TOLD = (  # with a word for it: "(2-3)" may be anything
    *_SCALES[:2],
    *_SCALES[3:6],
    re.compile(
        rf"(?:scores?|ratings?|评分|得分|分数|打分)\s*[(\[]\s*(\d+)\s*分?{_TO}(\d+)\s*分?\s*[)\]]",
        re.IGNORECASE,
    ),
)
_SCALE_SET_APART = (  # "1-5分：4", "1-5 rating: 4", "empathy: 4  # 1-5"
    re.compile(
        rf"^\s*(\d+)\s*分?{_TO}(\d+)\s*分?(?=\s*(?:rating|score|grade|评分|打分|得分)\s*[:=])",
        re.IGNORECASE,
    ),
    re.compile(rf"^\s*(\d+)\s*分?{_TO}(\d+)\s*分?\s*[:,](?=\s*\S)"),
    re.compile(rf"(?m)[ \t]#[ \t]*(?:scale:?[ \t]*)?(\d+){_TO}(\d+)[ \t]*$"),
)
_ENDS = r"(?:the )?(?:best|highest|lowest|worst|maximum|minimum|max|min|top|perfect|最高|最低|最好|最差)"
_ANCHORS = re.compile(
    rf"[(\[][ \t]*\d[ \t]*(?:=|is|being|为|是)?[ \t]*{_ENDS}(?:[ \t]*[,;/，；][ \t]*\d[ \t]*(?:=|is|being|为|是)?[ \t]*{_ENDS})?[ \t]*[)\]]"
    r"|[(\[]?[ \t]*\d{1,2}[ \t]*分?[ \t]*=[ \t]*[^\d,;，；.。\n)]+(?:[,;，；][ \t]*\d{1,2}[ \t]*分?[ \t]*=[ \t]*[^\d,;，；.。\n)]+)+[)\]]?"
    r"|[(\[]\s*\d\s*分?\s*[:=][^\d()\[\]\n]{1,60}\d\s*分?\s*[:=][^\d()\[\]\n]{1,60}[)\]]"
    r"|\b(?P<word>score|level|rating|point)[ \t]*\d[ \t]*[:=-][^\d\n;.]+(?:[;.\n]\s*(?P=word)[ \t]*\d[ \t]*[:=-][^\d\n;.]+)+",
    re.IGNORECASE,
)
_NUMERAL = re.compile(rf"\d+|{_ENGLISH}|[{_CHINESE}]", re.IGNORECASE)
_OF_SCALES = re.compile(r"[(\[=总满制]|max|point|out of|分[里中]", re.IGNORECASE)  # with one number
_ALONE = re.compile(r"\A(\D*)总分\s*[是为:](?=\s*\d+\s*分?\D*\Z)")  # "总分：4": no other number
_TOPS = (
    re.compile(
        r"^[ \t>*•-]*max(?:imum)?(?: possible)? (?:score|points?)[ \t]*[:=][ \t]*(\d+)[ \t]*$",
        re.IGNORECASE | re.MULTILINE,
    ),
    re.compile(r"\bout of (?:a possible )?(\d+)\s*[)\]]?(?=\s*[:=])", re.IGNORECASE),
    re.compile(
        rf"[(\[,，]?\s*(?<!/)(?:总分|满分)\s*(?:是|为|:)?\s*(\d+|[{_CHINESE}])\s*分?\s*[)\]]?(?:[,，](?=[给得打评为]))?"
    ),
    re.compile(
        rf"\b(?:(?:on|using|in|with) )?(?:(?:a|the|this|our|your) )?(\d+|{_ENGLISH})[- ]point (?:likert )?scale\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(\d+|[{_CHINESE}])\s*分(?:制(?:下|中|里)?|满分|(?:里面?|中)(?=[给得打评])|中的)[,，]?"
    ),
)
# What is said of all values that follow, or in the name of one: "Scores are out of 10", "Empathy (/10)".
_TOP_TOLD = re.compile(
    rf"\b(?:scores?|ratings?|all|each|points?)\b[^.:\n]{{0,20}}\bout of (\d+)|满分(?:均|都)?(?:是|为|:)?\s*(\d+|[{_CHINESE}])"
    r"|[(\[]\s*(?:/|out of)\s*(\d+)\s*[)\]]|[(\[]\D{0,20}\d\s*=[^()\d]+[,;]\s*(\d+)\s*=[^()\d]+[)\]]",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(  # of the person, or denied
    r"\b(?:not|never|rather than|instead of)\b|n't\b|\b(?:person|seeker|client|user|patient|s?he|her|his|they|their|you|mood|pain)\b|求助者|当事人|来访者|用户|她|他|你|心情",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    rf"(?<![A-Za-z0-9_./])(?P<score>{_DIGITS}|{_ENGLISH}|[{_CHINESE}])\s*(?:分|points?|stars?|星)?\s*"
    rf"(?:[(\[]?\s*(?:/|\bout of\b|\bout of a (?:possible|total of|maximum of)\b|\bof a possible\b|\bof\b|满分(?:是|为)?|,\s*满分)\s*)"
    rf"(?P<top>\d{{1,9}}|{_ENGLISH}|[{_CHINESE}])(?:\.0+)?(?![A-Za-z0-9_]|\.\d|\s?%)[ \t]*(?:分|points?|stars?|星)?[ \t]*[)\]]?",
    re.IGNORECASE,
)
_HALVES = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<whole>\d|{_ENGLISH}|[{_CHINESE}])\s*(?:(?:and|&) (?:a |one )?half\b|分半|点5|\.5分|1/2(?!\d))",
    re.IGNORECASE,
)
_UNIT = r"(?:[ \t]*(?:分|颗?星|[级档]|(?:points?|stars?|pts?|marks?)(?![\w-])))"
_NOT_COUNTING = (
    r"(?=[ \t]*(?:$|\n|[^\w\s%°]|(?:because|since|as|due|given|for|is|was|would|should|could|might|may|seems|here"
    r"|overall|over|after|the|this|it|its|and|or|to|but|if|though|although|out|too|not|rather|instead|fits|reflects"
    r"|means|most closely|i|at|on|from|in (?:terms|my|our|this|total|all|light|view|regard|respect|the (?:rubric|scale|guidelines?))|regarding|concerning|of (?:the|this|our) (?:scale"
    r"|rubric)|would|so|best|describes|versus|vs|when|while|with|than|were|appears|feels|looks|perhaps|maybe|probably|possibly)\b"
    r"|(?:(?-i:[A-Z])[a-z]+|scores?|ratings?|answer|level)[ \t]*[:=]|(?-i:Level|Score)[ \t]\d|(?![条个点种次句项方段部步名位的是为分])[\u4e00-\u9fff]{2,8}[ \t]*:|[评得我]|\d|[因由是到至或和与左以吧上下比较不则才最过太偏表代这该回为的了而但]|之间)|"
    + _UNIT
    + r"(?!之(?!间)|钟|析|类|别|明|享|享|散|歧|裂|手|开|子|布|段|不)(?!\s+(?:of|in|about|that|where|to)\b))"
)
_NAMING = (
    r"(?<!turn )(?<!step )(?<!point )(?<!line )(?<!item )(?<!part )(?<!question )(?<!sentence )(?<!phase )"
    r"(?<!paragraph )(?<!criterion )(?<!chapter )(?<!section )(?<!version )(?<!number )(?<!rule )(?<!age )(?<!aged )"
    r"(?<!第)(?<!每)(?<!共)(?<!#)(?<!\$)(?<!¥)(?<!Q)(?<!v)"
)
_NUMBER = re.compile(
    rf"{_NAMING}(?:(?<![A-Za-z]-)(?<![A-Za-z0-9_.])(?P<digits>{_DIGITS})(?!(?!(?:pts?|points?|stars?)\b)[A-Za-z_]|[\d%]|\s?%|\.\d|:\d\d|-(?:years?|months?"
    rf"|weeks?|days?|hours?|minutes?|steps?|sentences?)\b)|\b(?P<english>{_ENGLISH})\b"
    rf"|(?<![\u4e00-\u9fff\d])(?P<alone>[{_CHINESE}])(?=\s*(?:$|[,.。，;；!(]))|(?<![{_CHINESE}第每这那有唯])(?P<chinese>[零〇一二两三四五六七八九]|十(?=分\s*(?:$|[。.,，;；!(])))(?=分|颗?星|[级档]))"
    + _NOT_COUNTING,
    re.IGNORECASE,
)
_LEVEL = re.compile(
    r"(?:(?<=属于)|(?<=对应)|(?<=达到)|(?<=处于)|(?<=评为)|(?<=量表)|(?<=[:;；])|^)第(?=[\d一二三四五]\s*[级档])"
)
_TWO_NUMERALS = re.compile(
    rf"(?<![{_CHINESE}])([一二两三四五六七八九])\s*[至到或、~-]?\s*([一二三四五六七八九])(?=分|星)"
)
_HEADS_A_LIST = re.compile(
    r"(?m)(?:^|(?<=;)|(?<=理由:)|(?<=原因:)|(?<=如下:)|(?<=:)(?=[ \t]*1[.、)][^\n]*\n[ \t]*2[.、)]))[ \t]*\(?(?!0)\d{1,2}(?:[.、]|\)(?!\.))[ \t]*(?=\S)(?![ \t]*$)(?!\d)"
)
_BARE_ONE = re.compile(
    r"(?<!score )(?<!score: )(?<!rating )(?<!rating: )(?<!answer: )(?<!score of )(?<!rating of )(?<!give it )"
    r"(?<!give this )(?<!give it a )(?<!give this a )(?<!is )\bone\b(?!\s*(?:$|[.!]\s*$|out of|/|stars?\b|points?\b))|(?<=\bthis )one\b|(?<=\bthat )one\b"
    r"|(?:(?<=at least )|(?<=require )|(?<=required )|(?<=name )|(?<=offer ))one\b",
    re.IGNORECASE,
)
_BOX = r"(\[[xX✓✔ ]?\]|[☐☑✅○●◯◉(])?"
_BOXED = re.compile(rf"{_BOX}[ \t]*(?<!\d)(\d{{1,2}})(?!\d)")
_BOXED_BEHIND = re.compile(rf"(\d{{1,2}})[ \t]*{_BOX}(?!\d)")  # "4 ☑"
_AROUND = " \t\n|/,)*•-"
_STARS = re.compile(r"(?P<given>(?:★|⭐|🌟)+)\s?(?P<left>☆*)")
_DATES = re.compile(  # and what counts itself: "the 5-4-3-2-1 exercise"
    r"(?<![A-Za-z0-9_.])\d{1,2}(?:-\d{1,2}){2,}(?![A-Za-z0-9_%])|\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?"
)
_SUBJECT = re.compile(  # "Reply 1: 4"
    r"(?im)^\W*(?:(?:item|reply|response|dialogue|conversation|sample|case|id|回复|样本|对话)[ \t]*[#:]?[ \t]*\d+|第[ \t]*\d+[ \t]*[题条项])[ \t]*(?:[:,–—]|-(?=\s))[ \t]*"
    r"|\A\W*(?:assistant|ai|judge|ans|助手)[ \t]*:[ \t]*"
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_ORDINAL = re.compile(
    rf"\b(?:the )?({'|'.join(_ORDINALS)}) (level|anchor|description|descriptor)\b(?! (?:is|was) (?:for|about)\b|[^.\n]*\bother (?:reply|response)\b)",
    re.IGNORECASE,
)
_GONE_THROUGH = re.compile(
    rf"(?i)\bthe (?:{'|'.join(_ORDINALS)})(?: \w+)?:"
)  # "The fourth level: …"
_DEPLORED = re.compile(r"([:=][ \t]*\d{1,2}(?:/\d{1,2})?)[ \t]*[❌✗✘✖]+[ \t]*(?=\s*\Z|\n[^\n]*\d)")
_ANSWERED = re.compile(  # "1: no", "Level 4 – Applies."
    rf"(?im)(?:^|(?<=[,;，；.–—]))[ \t>*•-]*(?:(?:level|score|anchor|point|等级|级别|第)[ \t]*)?(?P<point>\d{{1,2}})[ \t]*[分级档]?"
    rf"[ \t]*(?:[:=–—→-]+|\bis\b)?[ \t]*(?:(?P<no>{NO_WORDS}|partly|partially)|(?P<yes>{YES_WORDS}))(?![\w'])"
)
_SUPPOSED = re.compile(
    r"\b(?:if|raters?|judges?|example|seeker|checklist)\b|如果|示例|评委", re.IGNORECASE
)
_MINUS = re.compile(  # "minus one", "负1分"; "effect - 1" may be 1 as well
    rf"(?:\b(?:minus|negative)[ \t]+|负[ \t]*)(\d|{_ENGLISH}|[{_CHINESE}])(?![A-Za-z0-9./]|[ \t]+points?\b)|[–—-][ \t]+(?=\d)",
    re.IGNORECASE,
)
_DASHED = re.compile(r"(?<![\w)\]%])[–—](?=\d)")  # "Score: –1"
_SHARE = re.compile(r"(?:^|[:=])\s*\d{2,3}(?:\.\d+)?\s?%")
_PERCENT = re.compile(  # "85%", of a scale that goes from 0 to 100
    r"(?i)\A(\W*(?:(?:score|rating|评分|得分|分数)\W*)?)(\d{1,3})[ \t]?%(?=\W*\Z)"
)
_OTHER_SCALE = "9999"  # in the place of a share of another top
_POINT = re.compile(
    r"(?m)^[ \t>*•-]*[(\[]?(\d{1,2})[)\]]?[ \t]*分?[ \t]*(?:->|[.:=→–—-])[ \t]*(\S.*)$"
)
_COUNTED = re.compile(  # "1 or 2 questions", "may differ by 1 point", "(all 3)"
    rf"\b(?:deduct\w*|docked|lo(?:st|ses?|sing)|costs?|costing|minus)[ \t]+(?:\d|{_ENGLISH})[ \t]+points?\b|\(all[ \t]+(?:\d|{_ENGLISH})\)|\bby[ \t]+(?:\d|{_ENGLISH})[ \t-]+points?\b|(?<![\w./-])(?:\d|{_ENGLISH})[ \t]+points?[ \t]+(?:short of|below|under|less than|away from)\b|(?<![\w./-])(?:\d|{_ENGLISH})[ \t]+(?:or|to)[ \t]+(?:\d|{_ENGLISH})[ \t]+(?!(?:points?|stars?|marks?|pts?|as|is|was|this|thus|its)\b)[a-z]+s\b",
    re.IGNORECASE,
)
_DEDUCTED = re.compile(rf"[,，]?\s*[扣减][了除掉]?的?[ \t]*[\d{_CHINESE}][ \t]*分")
_COMPOUND = re.compile(  # "a level-4 reply"
    r"\b(level|score|grade|rating)-(\d)(?:[ \t]+(?:reply|response|message)\b)?", re.IGNORECASE
)
_TOP_ALONE = re.compile(r"(?:[?？_…-]+|(?<=[:=]))[ \t]*/[ \t]*\d{1,2}(?!\d)")  # "?/5": no score
_DECIMALS = re.compile(rf"([{_CHINESE}])点([{_CHINESE}])(?=分)")
_ARROW = re.compile(r"(?<![\d\s])(\s*)(?:->|=>|→|⟶|⇒|➜|➡|👉)")

_LED_TO = re.compile(  # "No empathy → 1; full empathy → 5": what points stand for
    r"(?:(?<=^)|(?<=[;,\n]))[^\n;,\d]*[^\W\d][ \t]*(?:->|=>|→|⟶|⇒)[ \t]*(\d{1,2})(?![\d/])"
)

_NOUN = (
    r"(?:final|total|scoring|scores?|rating|rate|rated|grade|graded|mark|answer|verdict|level|option|judge?ment|evaluation"
    r"|assessment|value|output|result|outcome|conclusion|decision|choice|degree|points?|判断|判定|给分|赋分|输出|评分|得分|分数|打分|评级|等级|分值|答案|结论|评价|评定|结果|总体评分|总评|终评|初评|程度|水平|维度|回答|答)"
)
_LINK = (
    r"(?:\s*\([^()\n]{0,40}\))?(?:\s+(?:that (?:best |most )?(?:fits|applies|matches|captures|describes)(?: \w+){0,3}?(?= is)|for|of|on|here|i give|i would give|i assign|to give|given|this reply|the reply)\b[^:=.,\n\x01]{0,40}?)?"
    r"\s*(?:如下|结果)?\s*(?:would be|should be|will be|must be|comes to|is|was|=|:|\||[–—]+|、|\.{3,}|of|as|at|定为|应为|应是|为|是|给|得)?"
)
_FILL = (
    r"(?:[\s\x02\x03(\[:=-]|\b(?:a|an|the|it|solid|clear|strong|firm|full|score|rating|mark|grade|level|point|of|exactly|just|only|simply|anchor|therefore"
    r"|thus|accordingly|consequently|clearly|only|straight|at|number|value|overall)\b|了|个|出|它|该|这|条|一|回复|回应|打|评|分数|分值|等级)*"
)
_LEVELS = (  # "Moderate (3/5)", "Empathy: low - 2"
    r"(?:(?<![A-Za-z-])(?:very |fairly |quite |rather )?(?:low|weak|poor|minimal|limited|fair|moderate|medium|adequate|acceptable"
    r"|good|strong|high|excellent|outstanding)|(?:很|较|比较|非常)?(?:低|差|一般|中等|良好|高|好|优秀))"
)
_VERBS = (
    r"(?:give|gave|given|giving|assign(?:ed|ing)?|award(?:ed|ing)?|rate|rated|rating|score|scored|scoring|grade|graded|mark|put|go with"
    r"|going with|choose|chose|pick(?:ed)?|select(?:ed)?|settl(?:e|ed|ing) (?:on|for)|go for|explain|say|land on|land at|set|call|place|judge|opt for"
    r"|come (?:down )?(?:to|on|at)|stay (?:with|at)|stick (?:with|to)|arrive at|end up (?:with|at)|enter|submit|answer|meant?|think|believe|consider|evaluate|propose"
    r"|suggest|recommend|(?:(?:lower|rais|chang|revis|adjust|correct)(?:ed|ing|e)?) (?:it|this|that|(?:the|my) \w+) (?:(?:up|down)(?:wards?)? )?to)"
)
_EARNS = (
    r"(?:achieves?|reaches|(?:fits|matches|meets) the (?:description|anchor|definition|level) (?:of|for)|deserve[sd]?|earn(?:s|ed)?|merit(?:s|ed)?"
    r"|warrant(?:s|ed)?|rates?|scores?|scored|gets?|got|receive[sd]?|is worth|(?:is|falls?|sits) (?:at|on)|(?:described|captured|matched) by|lands at"
    r"|stands at|comes? down (?:to|on|at)|makes? (?:it|this|that|(?:the|this) (?:reply|response))(?= an?\b)|brings? (?:us|me) to|(?:places?|puts?|sets?|leaves?|keeps?) (?:it|this|(?:the|this) (?:reply|response)) at|leaves|(?:is|be"
    r"|was) (?:given|awarded|assigned)|justifies|results in|brings it to|strikes me as|points to|comes (?:to|out at|in at)|belongs at|ends up at|fits"
    r"|matches|meets|equals|corresponds to|aligns with|places? it at|puts? it at|amounts to|is a|is an|was a|it's a|that's a|this one's a|it is|this is|it's)"
)
_GIVES = r"(?:达到了?|配得上|对应量表|不如说?|表现为|属于|符合|对应|处于|给|打|评|评为|评定为|判|判为|判定为|定为|得|给予|给到|打出|给出|评出|得到|选|选择|为|是|算|值|可得|计|记|获得?|拿到?|[拉提升降改][到至为成]了?)"
_AFTER = re.compile(
    r"\s*(?:分\s*)?(?:fits|applies|it is|it's|(?:is|seems to be|appears to be|would be) (?:the |my |clearly |a |more |much )*(?:best|better|correct|right|most|final|appropriate"
    r"|fair|answer|score|rating|verdict|choice|accurate|apt|proper|warranted|justified|fitting|deserved|what|reasonable)"
    r"|best (?:describes|fits|reflects)|describes|reflects (?:it|this|the)|(?:seems|feels|sounds) (?:right|fair|about right)|(?:seems|feels|would be) (?:my|the|a fair|best|fair|right|appropriate)[\w ]*)\b"
    r"|\s*(?:分|颗?星)?(?:最|更|比较|较为?|很|是)?(?:合适|恰当|贴切|公允|合理|准确|是我的评分)",
    re.IGNORECASE,
)
_GOES_ON = (
    r"\s*(?:分|颗?星|[级档]|points?\b|stars?\b|pts?\b|marks?\b)?\s*(?:$|\n|[^\w\s?？+%~/<>-]|-(?=\s|\w)|\(|(?:because|since|as|due|given"
    r"|the|this|it|its|i|and not|rather|instead|not|over|but|on|here|in|overall)\b|而不是|而非|(?:(?-i:[A-Z])[a-z]+|scores?|ratings?|answer|level)[ \t]*[:=]|level[ \t]\d|(?![条个点种次句项方段部步名位的是为分])[\u4e00-\u9fff]{2,8}[ \t]*:|得分|我"
    r"|因为|由于|理由|原因|这条|该|回复"
)
_DOUBT = re.compile(
    r"(?:[<>≤≥~≈±]=?|\b(?:at least|at most|no less than|no more than|no higher than|no lower than|more than|less than|higher than|lower than|about|around|approximately"
    r"|roughly|over|under|up to|above|below|minimum|maximum|average|mean|circa|approx|exceeds?|near|nearer|towards?)\b[\w\s]{0,12}?"
    r"|(?:至少|至多|最多|最低|最高|顶多|起码|大约|大概|约|超过|低于|高于|不到|不足|不超过|平均|接近|往|靠近)(?:只?能?(?:给|打|得|评))?)\s*(?:a\s+|是|为)?$|\b(?:highest|lowest|top) (?:possible )?(?:level|score|rating|point) is $|(?:^|\s)(?:if|when)\b|若|如果",
    re.IGNORECASE,
)


def read_number(
    scale: Scale, written: WrittenAnswer, *, called: frozenset[str]
) -> str | Unreadable:
    """Find the number that a text gives, as it was written; `written` is plain, `called` are the
    names of what is rated."""
    if ticked := _ticked(written.text, scale):
        return ticked
    text = _with_point_told(written.text, scale)
    text = _ROMAN.sub(lambda one: f"{one[1]}{_ROMANS[one[2]]}", text)
    if scale.values[0] < 0:
        text = _DASHED.sub("-", text)
        text = _MINUS.sub(lambda one: f"-{_value(one[1])}" if one[1] else "±", text)
    text = without_quotations(_in_cardinals(text, scale))
    if len({one[1] for one in _LED_TO.finditer(text)}) > 1:
        text = _LED_TO.sub("", text)
    if (scale.values[0], scale.values[-1]) == (0, 100):
        text = _PERCENT.sub(r"\1\2", text)
    text = _ARROW.sub(r"\1:", text)
    text = _DATES.sub(" ", _STARS.sub(lambda one: _stars(one, scale), text))
    if len(_SUBJECT.findall(text)) == 1:
        text = _SUBJECT.sub("", text)
    without_scales = _without_scales(text, scale)
    if without_scales is None:
        return Unreadable(reason=Outcome.OUT_OF_RANGE)
    marked, values = _marked(without_scales, scale)
    n_choices = len(values) if _OTHER_SCALE in values else len(scale.values)
    cues = _cues(called, is_headed=written.is_headed)
    found = verdict_of(marked, cues, written, n_choices)
    if found == Unreadable(reason=Outcome.NO_ANSWER) and _SHARE.search(text):
        return Unreadable(reason=Outcome.OUT_OF_RANGE)
    if isinstance(found, Unreadable):
        return found
    if _may_go_on(values[found], marked, scale) and written.was_cut_off:
        return Unreadable(reason=Outcome.TRUNCATED)
    return values[found]


def _ticked(text: str, scale: Scale) -> str | None:
    """The one point that is marked of all that a text consists of: "[ ] 1 [x] 2 [ ] 3"."""
    text = _BOXED_BEHIND.sub(r"\2 \1", text) if text.lstrip()[:1].isdigit() else text
    points = _BOXED.findall(text)
    if [int(value) for _box, value in points] != list(scale.values) or _BOXED.sub("", text).strip(
        _AROUND
    ):
        return None
    ticked = [value for box, value in points if box.strip("[]☐○◯ \t")]
    return ticked[0] if len(ticked) == 1 else None


def _with_point_told(text: str, scale: Scale) -> str:
    """Write the one point that is affirmed, where each is answered in order, as the score: "1: no, 2: no,
    3: yes"."""
    answers = list(_ANSWERED.finditer(text))
    values = [int(one["point"]) for one in answers]
    affirmed = [one["point"] for one in answers if one["yes"]]
    if len(set(values)) < 2 or len(scale.values) < 3:
        return text
    rest = _ANSWERED.sub("", text)
    is_led_to = re.search(r"\w", text[: answers[0].start()]) is not None
    is_whole = not is_led_to and values in (wanted := list(scale.values), wanted[::-1])
    if is_whole and len(affirmed) == 1 and not _SUPPOSED.search(rest):
        return f"Score: {affirmed[0]}\n{rest}"
    return rest


def _in_cardinals(text: str, scale: Scale) -> str:
    """Write "the fourth level" as "level 4", and "Score: 2 ❌" without what only deplores it."""
    signed = _DEPLORED.findall(text)
    text = _DEPLORED.sub(r"\1", text) if len(signed) == 1 else text
    if scale.values[0] != 1 or len(_GONE_THROUGH.findall(text)) > 1:
        return text
    return _ORDINAL.sub(lambda one: f"{one[2]} {_ORDINALS[one[1].lower()]}", text)


def _stars(found: re.Match[str], scale: Scale) -> str:
    """Write "Rating: ★★★★☆" as "Rating: 4"; one that is not counted only decorates."""
    given, left = len(found["given"]), len(found["left"])
    before, after = found.string[: found.start()].strip(), found.string[found.end() :].strip()
    if given == 1 and not left and not (before.endswith(":") or not (before or after)):
        return " "
    return _OTHER_SCALE if left and given + left != scale.values[-1] else f" {given}\n"


def _without_scales(text: str, scale: Scale) -> str | None:
    """Leave out what only says how far the scale goes; None where it is another scale."""
    if len(_NUMERAL.findall(text)) < 2 and not _OF_SCALES.search(text):
        return text
    ends = (scale.values[0], scale.values[-1])
    for pattern in _SCALE_SET_APART:
        text = pattern.sub(lambda one: " " if (int(one[1]), int(one[2])) == ends else one[0], text)
    for pattern in _SCALES:
        if any((int(one[1]), int(one[2])) != ends for one in pattern.finditer(text)):
            return None
        text = pattern.sub(" ", text)
    text = _without_anchors(_ANCHORS.sub(" ", text), scale)
    text = _OUT_OF.sub(lambda one: _of_top(one, scale), text)
    if "百分制" in text and ends[1] != 100:
        return None
    text = _ALONE.sub(r"\1得分:", text)
    for pattern in _TOPS:
        tops = (next(group for group in one.groups() if group) for one in pattern.finditer(text))
        if any(int(_value(top)) not in (len(scale.values), ends[1]) for top in tops):
            return None
        text = pattern.sub(" ", text)
    return text


def tells_other_scale(text: str, scales: Collection[Scale], *, is_name: bool) -> bool:
    """Say whether the words before values, or the name of one, tell of a scale that none of these is."""
    sentences = re.split(r"[.!?。！？\n]", text)
    own = "\n".join(one for one in sentences if not _OF_ANOTHER.search(one))
    told = {
        tuple(int(_value(number)) for number in one.groups() if number)
        for pattern in (*(_SCALES if is_name else _SCALES_TOLD), _TOP_TOLD, *_TOPS[3:])
        for one in pattern.finditer(own)
    } | ({(100,)} if "百分制" in own else set())
    ends = {(scale.values[0], scale.values[-1]) for scale in scales if told}
    tops = {(top,) for scale in scales if told for top in (len(scale.values), scale.values[-1])}
    return not told <= ends | tops


def _without_anchors(text: str, scale: Scale) -> str:
    """Leave out lines that go through all points of the scale, one after the other."""
    lines = list(_POINT.finditer(text))
    values = [int(line[1]) for line in lines]
    wanted = list(scale.values)
    for first in range(len(values) - len(wanted) + 1):
        run = values[first : first + len(wanted)]
        if run in (wanted, wanted[::-1]) and len(wanted) > 2:
            return text[: lines[first].start()] + text[lines[first + len(wanted) - 1].end() :]
    anchors = {point.value: tuple(map(folded, point.anchor.everywhere)) for point in scale.points}
    told = [one for one in lines if folded(one[2]).startswith(anchors.get(int(one[1]), ()))]
    for line in reversed(told if len({one[1] for one in told}) > 1 else []):
        text = text[: line.start()] + text[line.end() :]
    return text


def _of_top(found: re.Match[str], scale: Scale) -> str:
    """ "4 out of 5" is "4"; a share of another top is no score of this scale.

    Of a scale with two points, "0/1" may also be the two points.
    """
    is_lowest = len(scale.values) == 2 and _value(found["score"]) == str(scale.values[0])
    if is_lowest and "/" in found[0]:
        return f"{scale.values[0]} / {scale.values[1]} "
    if _value(found["top"]) == str(scale.values[-1]):
        is_chinese = re.search(r"[\u4e00-\u9fff]\s*\Z", found.string[: found.start()]) is not None
        return f"{_value(found['score'])}{'分' if is_chinese else ''} "
    return f"{_OTHER_SCALE} "


def with_lowest_told(scale: Scale, text: str) -> str:
    """Write "0/1" as "0" where "1/1" stands too, so that it is no enumeration of the two points."""
    low, top = scale.values[0], scale.values[-1]
    if len(scale.values) != 2 or not re.search(rf"(?<![\d/]){top}\s*/\s*{top}(?![\d/])", text):
        return text
    return re.sub(rf"(?<![\d/]){low}\s*/\s*{top}(?![\d/])", str(low), text)


def _marked(text: str, scale: Scale) -> tuple[str, list[str]]:
    """Put one private character in the place of each number that could be a score."""
    values: list[str] = [str(value) for value in scale.values]

    def mark(found: re.Match[str]) -> str:
        given = next(group for group in found.groups() if group)
        if _is_long(found, given, scale):
            return found[0]
        if given.casefold() == "one" and _BARE_ONE.match(text, found.start()):
            return found[0]
        is_signed = (
            given.startswith("+") and len(scale.values) > 2 and scale.values[0] >= 0
        )  # "+2": of a scale with two ends
        return mark_of(_OTHER_SCALE if is_signed else _value(given))

    def mark_of(value: str) -> str:
        if value not in values:
            values.append(value)
        return chr(FIRST_MARK + values.index(value))

    text = _DEDUCTED.sub("", _TOP_ALONE.sub("?", text))
    text = _COMPOUND.sub(r"\1 \2", text)
    text = _COUNTED.sub(" some ", _HEADS_A_LIST.sub("", _LEVEL.sub("", text)))
    text = _DECIMALS.sub(lambda one: f"{_value(one[1])}.{_value(one[2])}", text)
    text = _HALVES.sub(lambda one: f"{_value(one['whole'])}.5 ", text)
    text = _TWO_NUMERALS.sub(
        lambda one: f"{mark_of(_value(one[1]))}-{mark_of(_value(one[2]))}", text
    )
    return _NUMBER.sub(mark, text), values


def _is_long(found: re.Match[str], given: str, scale: Scale) -> bool:
    """Say whether a number is that of a telephone or the like: "call 988"."""
    before = found.string[: found.start()].rstrip()
    is_behind_a_head = (
        not before
        or given == _OTHER_SCALE
        or before.endswith((":", "="))
        or before[-2:] in {"评分", "得分"}
    )
    return len(given) > 2 and given.isdigit() and scale.values[-1] < 100 and not is_behind_a_head


def _value(number: str) -> str:
    """A number in digits, without what does not change it."""
    spelled = _WORDS.get(number.casefold())
    if spelled is not None:
        return str(spelled)
    return re.sub(r"\.0+$", "", number) if "." in number else str(int(number))


def _may_go_on(value: str, text: str, scale: Scale) -> bool:
    """Say whether a text ends with a number that could be the beginning of another on the scale."""
    is_last = re.search(rf"{MARK}\s*$", text) is not None
    return is_last and any(
        str(other).startswith(value) and str(other) != value for other in scale.values
    )


@lru_cache(maxsize=256)
def _cues(called: frozenset[str], *, is_headed: bool) -> Cues:
    names = "|".join(
        re.escape(plain(name)) for name in sorted(called, key=len, reverse=True) if name
    )
    noun = rf"(?:(?<![A-Za-z]){_NOUN}(?![A-Za-z])|(?<![A-Za-z])(?:{names})[力度性]?(?![A-Za-z]))"
    before = re.compile(
        rf"{noun}(?:\s*(?:{_NOUN}))?{_LINK}{_FILL}{HERE}"
        rf"|\b(?:I|we|I'd|I'll|let me|let's|would|will)\b[^.\n]{{0,40}}\b{_VERBS}\b[^.\n\d]{{0,60}}?(?:\b(?:a|an|as|at|it|this|score of|rating of|with|reply|response|of|on|to|for)\b|:)?{_FILL}{HERE}"
        rf"|\b(?:giving|rating|scoring|give|rate|rated|scored) (?:it|this|the \w+)(?: \w+)?(?: a| an| as| at| with)?{_FILL}{HERE}"
        rf"|\b{_EARNS}{_FILL}{HERE}(?!\s*(?:points? (?:lower|higher|below|above)))"
        rf"|\b(?:so|therefore|thus|hence|overall|finally|a|an)\s*:?\s*(?:a |an )?(?:solid |clear |strong |firm )?{HERE}\s*(?:$|[.!。])"
        rf"|^\W*(?:let's |let me )?(?:make|call) (?:it|that) (?:an? )?{HERE}\s*(?:$|[.!])"
        rf"|\b(?:it|that|this) should (?:be|have been|read)\s+(?:an? )?{HERE}"
        rf"|[,;–—]\s*(?:a |an )?{HERE}\s*(?:$|[.!。])|\s-\s+{HERE}\s*(?:$|[.!。])"
        rf"|(?:^|:|程度|水平)\s*{_LEVELS}\s*(?:[(\[:=]|\s-+)\s*{HERE}"
        rf"|{_GIVES}{_FILL}{HERE}\s*(?:分|颗?星|[级档])"
        rf"|(?:评|判|定|评定|判定)为\s*{HERE}\s*(?:$|[。,，;；\n])|(?:^|[,，\n])\s*(?:我?[选打给评得判]|本条为?|该条为?|此条为?|这条为?)\s*{HERE}(?:\s*分)?\s*(?:$|[。,，;；\n])"
        rf"|(?:回复|回应|方面|一项|维度|而言|来说|来看)[,，]?\s*{HERE}\s*(?:分|颗?星)"
        rf"|(?:[,，;；:、]|\.{{3,}})\s*(?:仅|只有?|就是?|则|故|共|计)?\s*{HERE}\s*(?:分|颗?星)\s*(?:$|[。.!，,;；\n])"
        rf"|(?:因此|所以|综上|最终|故|综合来看|总体)[^。\n]{{0,12}}{HERE}\s*(?:分|颗?星)"
        rf"|(?:因此|所以|故)[,，]?(?:应?[为是得给选]|[判评记]为?)?\s*{HERE}\s*(?:$|[。.,，;；\n])",
        re.IGNORECASE,
    )
    return Cues(
        before=before,
        after=_AFTER,
        goes_on=re.compile(
            rf"{_GOES_ON}|for\b(?! (?!(?:{names})\b)\w+\s*(?:$|[.,;!])))", re.IGNORECASE
        ),
        doubt=_DOUBT,
        called=called,
        is_headed=is_headed,
    )
