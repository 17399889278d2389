"""Whether the clause before a choice gives it as a verdict of whoever writes.

Nobody can list all the ways to tell of somebody else's verdict, or of one that might have been. So a
clause counts only where it is made of the plain words with which verdicts are given: "I would rate
this reply as a", "which therefore deserves", "综合来看，我给". Any other word makes it no verdict.
"""

import re
from functools import lru_cache

from judging.parsing.plain import plain

_ENGLISH_WORDS = """
i we me my our us let lets let's i'd i'll i've i'm we'd it it's its this that that's which the a
an these those their there here now then would will shall must should am is are be been
being was have has had do does did going give gives gave given giving assign assigns assigned
assigning award awards awarded rate rates rated rating score scores scored scoring grade grades
graded grading mark marks marked put choose chose chosen pick picked select selected settle
settled land lands landed go goes went say think believe feel judge judged call set place placed
submit enter report answer propose recommend conclude concluded opt arrive arrived deserve
deserves deserved deserving earn earns earned earning merit merits merited meriting warrant
warrants warranted get gets got getting receive receives received receiving sit sits stand
stands come comes came out amount amounts worth match matches matching meet meets meeting fit
fits fitting correspond corresponds corresponding align aligns equal equals translate translates
reach reaches fall falls make makes making bring brings lead leads leading leave leaves leaving
puts putting places placing remain remains stay stays keep keeping change changing changed
revise revised revising correct correction corrected adjust adjusted describe describes
described reflect reflects summarise summarize reply reply's response response's message
text supporter counsellor counselor therapist assistant dialogue conversation turn case item
exchange overall final finally ultimate ultimately total single numeric numerical integer
opinion view judgement judgment assessment evaluation verdict ratings level number value result
output conclusion decision choice option anchor criterion criteria dimension category scale
rubric guideline guidelines definition definitions description descriptor descriptors point
points star stars of on for in at to as from with by under into per and so therefore thus hence
accordingly consequently altogether according based considering considered taking taken together
weighing everything above analysis reasons reasoning evidence such sum summary short end balance
reflection rereading second thought thoughts closer look after careful consideration solid clear
strong firm fair good full high higher low lower moderate middling weak well-deserved definite
straight exactly precisely just simply clearly only merely still confidently comfortably
confident comfortable firmly definitely certainly plainly justified justifiably appropriate
appropriately best right most suitable accurate accurately rightly squarely safely fully very
well yes ok okay sure actually rather instead wait one here's excellent outstanding poor fairly
quite limited minimal medium adequate acceptable meant sorry earned why degree places true complete requested belong belongs ends ending closing last line
sentence question up down back
shown shows show
"""
_CHINESE_WORDS = """
综上所述 综合来看 总体来看 整体来看 总的来说 总体而言 总体来说 综合考虑 综合以上 综上 综合 总体 整体 总之
因此 所以 故而 故 于是 最终 最后 结论 结果 以上 上述 分析 理由 考虑 我们 本人 我 认为 觉得 判断 决定
给予 给出 给到 给 打出 打分 打 评为 评定 评出 评分 评级 评价 评估 评判 评 判定 判为 判 定为 定
得到 得分 得 获得 获 可得 应得 应当 应该 应 可以 可 能够 能 值得 值 为 是 属于 达到 符合 对应 处于
位于 落在 相当于 选择 选 选为 计 记 算 该条 该 此条 此 这条 这个 这段 这则 这 本条 本 条 段 则 个
回复者 回复 回应 答复 回答 答 方面 维度 一项 此项 这一项 项目 项 指标 标准 量表 锚点 描述 等级
级别 分数 分值 数值 程度 水平 总分 上 中 里 在 的 了 它 其 对于 对 而言 来说 来看 看来 看 就 只
仅 也 还是 仍 将 会 按照 按 根据 依据 依照 改为 改成 改判 改 修正 更正 调整 重新 恰好 正好 明确
准确 合适 恰当 比较 较 一 出 到 于 与 和 及 以 终评 终判 最合适 综合起来 由 从 不如说 不如 那么 那 好的 好 嗯 其实
更 最 正确 顺序 定义 描述 范围 赋分 给分 输出 如下 把 将 关于 实际 真实 建议 个人 总评 答案 后来 仔细 低 差 一般 中等 良好 高 优秀 较低 较高 很 度 力 性 先 再 细看 之后 后 经 拿 最后一句 一句 句 话 让 使 令 拉 提 升 降
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_LONGEST_FIRST = sorted(_CHINESE_WORDS.split(), key=len, reverse=True)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_HAN_WORDS = re.compile(f"(?:{'|'.join(_LONGEST_FIRST)})*")

_MIGHT_HAVE_BEEN = re.compile(
    r"\bwould have\b|(?:^|\b(?:it|this|that|which|reply|response|answer))\s+would\b", re.IGNORECASE
)
_CHOOSES = re.compile(
    r"\b(?:choose|chose|chooses|pick(?:s|ed)?|select(?:s|ed)?|assign(?:s|ed)?|label(?:s|led|ed)|call(?:s|ed)?"
    r"|classif(?:y|ies|ied)|tag(?:s|ged)|say|says|said|think|thinks|thought|argued?|argues|voted?|opt(?:s|ed)?"
    r"|go|goes|went|conclude[sd]?|prefer(?:s|red)?|propose[sd]?|suggest(?:s|ed)?)\b"
    r"|(?:选择|选了?|标为|标注为|标记为|判为|判定为|归为|归入|认为|认定为|评为|打上)",
    re.IGNORECASE,
)
_POSSESSOR = re.compile(
    r"\b(\w+)'s (?:label|answer|verdict|rating|score|choice|judge?ment)\b"
    r"|([\u4e00-\u9fff]{1,8})的(?:标签|类别|答案|判断|结论|评价|评分|分数)",
    re.IGNORECASE,
)
_SOMEONE = re.compile(  # "a lawyer would see"
    r"\b(?:an?|any|every|the|some|another) (\w+) (?:would|might|could)\b", re.IGNORECASE
)
_OWN = re.compile(
    r"(?:^|\b(?:i|we|i'd|i'll|i've|let me|let us|let's|to|and|must|is|are|be|was|been|being|gets|my)\b"
    r"|\b(?:would|will|have|can|should|did|do)\b|\b\w+ly\b|[,:;(]|应当?|应该|可以?|可被|被|我|会)\s*$",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"(?:\b(?:would|will|have|has|can|should|did|do|best|\w+ly)\s*|会)$", re.IGNORECASE
)


def gives_score(clause: str, called: frozenset[str]) -> bool:
    """Say whether the words before a number are only such as scores are given with."""
    return not _MIGHT_HAVE_BEEN.search(clause) and is_of_plain_words(clause, called)


def is_of_plain_words(text: str, called: frozenset[str]) -> bool:
    """Say whether a text has only words with which verdicts are given, and the names in `called`."""
    text = text.casefold()
    for name in _folded(called):
        text = text.replace(name, " ")
    return all(_is_plain(word) for word in _WORD.findall(text))


def gives_label(clause: str) -> bool:
    """Say whether nobody else chooses a label in the words before it."""
    if any(not _is_plain(one[1].casefold()) for one in _SOMEONE.finditer(clause)):
        return False
    of_others = (one for one in _POSSESSOR.finditer(clause) if not _is_writer(one[1] or one[2]))
    return next(of_others, None) is None and all(
        _is_own(clause[: one.start()].rstrip()) for one in _CHOOSES.finditer(clause)
    )


def _is_writer(possessor: str) -> bool:
    return _is_plain(possessor.casefold()) or possessor.casefold() in {"text", "sentence"}


def _is_plain(word: str) -> bool:
    if _HAN.match(word):
        return all(_HAN_WORDS.fullmatch(run) for run in _HAN.findall(word))
    return word in _ENGLISH


def _is_own(subject: str) -> bool:
    """Say whether who chooses is the one who writes, or nobody is named."""
    while shorter := _MODAL.sub("", subject).rstrip():
        if shorter == subject:
            break
        subject = shorter
    if _HAN.search(subject):
        return _OWN.search(subject) is not None or all(map(_is_plain, _HAN.findall(subject)))
    return not subject or _OWN.search(subject) is not None


@lru_cache(maxsize=256)
def _folded(called: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted((plain(name).casefold() for name in called), key=len, reverse=True))
