"""The plain words with which whoever judges gives a verdict: "综合来看，我给", "I would rate this reply".

Nobody can list all the ways to tell of somebody else's verdict, to order one, or to speak of one that
might have been. So it is the words of an own verdict that are listed, and any other word is in doubt.
Words that are plain in one phrase only ("in short", not "short of") stand among the phrases; what
other Chinese words make up ("综合" and "来看") is not listed.
"""

import re
from functools import lru_cache
from itertools import chain

from judging.parsing.plain import plain

_ENGLISH_WORDS = """
i we me my our us let lets let's i'd i'll i've i'm we'd it it's its this that that's which the a
an these those here now then would will shall must should am is are be been being was have has do
does did going give gives gave given giving assign assigns assigned assigning award awards awarded
rate rates rated rating score scores scored scoring grade grades graded grading mark marks marked
put choose chose chosen pick picked select selected settle settled settling explain land lands
landed go goes went say think believe feel judge judged call set place placed submit enter report
answer propose recommend conclude concluded opt arrive arrived deserve deserves deserved deserving
earn earns earned earning merit merits merited meriting warrant warrants warranted get gets got
getting receive receives received receiving sit sits stand stands come comes came out amount
amounts worth match matches matching meet meets meeting fit fits fitting correspond corresponds
corresponding align aligns equal equals translate translates reach reaches fall falls make makes
making bring brings lead leads leading leave leaves leaving puts putting places placing remain
remains stay stays keep keeps keeping change changing changed revise revised revising correct
correction corrected adjust adjusted describe describes described reflect reflects summarise
summarize reply reply's response response's message text dialogue conversation turn case item
exchange overall final finally ultimate ultimately total single numeric numerical integer view
judgement judgment assessment evaluation verdict ratings level number value result output
conclusion decision choice option anchor criterion criteria dimension category scale rubric
guideline guidelines definition definitions description descriptor descriptors point points star
stars of on for in at to as from with by under into per and so therefore thus hence accordingly
consequently altogether according based considering considered taken together weighing everything
above analysis reasons reasoning evidence such sum summary balance reflection rereading after
careful consideration solid clear strong firm fair good full high higher low lower moderate
middling weak well-deserved definite straight exactly precisely just simply clearly only merely
still confidently comfortably confident comfortable firmly definitely certainly plainly justified
justifiably appropriate appropriately best right most suitable accurate accurately rightly
squarely safely fully very well yes ok okay sure actually rather instead wait here's excellent
outstanding poor fairly quite limited minimal medium adequate acceptable meant sorry why degree
complete belong belongs closing sentence question up down back shown shows show label labels
labelled labeled labelling labeling classify classifies classified classifying classification
categorise categorize categorised categorized categorisation categorization class code tag tagged
type kind form instance qualifies qualify counts count constitutes constitute exhibits exhibit
represents represent demonstrates demonstrate exemplifies exemplify within find see closest
applies apply applicable next there what read can could ought not no neither nor than between
isn't doesn't wasn't don't cannot can't initially both proper textbook dominant main primary
problem issue fault having weighed prediction eight undoubtedly primarily mainly mostly
unmistakably unequivocally evidently really truly surely obviously essentially basically
unambiguously or over resembles fail fails rule rules excluded all seems feels better more terms
opinion light perspective edit update doubt strictly speaking easily decide decided how none four
faults assess attribute attributes summing judging upon evaluate evaluating looking against each
respect json object format formatted structured following follows below detailed requested
breakdown using explanation rationale justification reason thinking process step steps comments
notes feedback review overview strengths weaknesses among options candidates seven content
contents tone behaviour behavior clinical psychological professional ethical standpoint viewpoint
reading specifically summarised summarized elimination capture captures best-fitting seen viewed
regarded understood treated stick wording phrasing displayed conveyed expressed offered again
taking matched taxonomy outcome basis hesitation context hmm honestly frankly personally consider
decent unfortunately sadly strength closely reviewed examined analysed analyzed assessed evaluated
checked compared predicted identified determined own disagree prefer indeed vote deemed
best-matching closest-matching resulting likely accepted strikes signs ours commits winner
consistent regard interpret understand suggested suggest choosing certain convinced detected name
suited characterised characterized obvious absolutely classed satisfies satisfy displays illustrates involves
guilty engages covers impression justifies results appears easy updated new lowered raised
measured anchors demonstrated exhibited achieve achieves regarding concerning
lowering raising upward upwards downward downwards analyze analyzing analyse analysing carefully provided thorough thoroughly brief briefly
step-by-step criterion-by-criterion individually separately independently generous
"""
_ENGLISH_PHRASES = re.compile(
    r"\b(?:sure thing|(?:top|bottom|middle|midpoint|(?:upper|lower|high|low) end) of the scale|(?:last|final|latest|given) (?:reply|response|message)|the (?:supporter|counsell?or|assistant)'s(?=\s*(?:$|(?:is|was|can|should|at|as|to|level"
    r"|score|rating)\b))|the (?:supporter|counsell?or|assistant) (?=(?:earns|deserves|merits|receives|gets|scores|commits|shows|demonstrates|displays|exhibits"
    r"|engages|is guilty)\b)|(?:reply|response) from the (?:supporter|counsell?or|assistant)|(?:reply|response) to the (?:seeker|client|user|person)|what the (?:supporter|reply|response) does|(?:the "
    r"|this )?(?:last |final )?(?:supporter|counsell?or|therapist|assistant|helper|ai|llm|model|chatbot|bot)(?:'s)? (?:last |final |latest |given )?"
    r"(?:reply|response|message|answer|turn|statement|utterance|line|sentence|comment|words|wording|tone|phrasing|approach|behaviou?r|conduct"
    r"|advice)(?: to (?:the )?(?:seeker|client|user)(?:'s (?:last )?(?:message|question))?)?(?! (?:scores?|ratings?|labels?) (?:is|was)\b)"
    r"|(?:each|every|all|the)(?: (?:the|five|seven))? qualit(?:y|ies)|on the whole|(?:with )?that (?:being )?said(?=\s*,)|(?:scale|rubric) (?:i was given|you gave)|the (?:highest|lowest|top|bottom|middle) (?:one|level|score)|the (?:more|most) harmful(?: one| of (?:these|them|the two))?"
    r"|the one that could (?:hurt|harm) (?:this |the )?(?:seeker|person) (?:the )?most|in (?:line|accordance|keeping) with|(?:short|brief|quick) (?=answer\b|verdict\b|label\b|score\b)|(?:in )?(?:a|one|two) (?:word"
    r"|number)s?(?=\s*:)|simply put|has all the marks|a textbook case|(?:taking|with) (?:everything|all|all of this|this|that"
    r"|these points) (?:taken )?into (?:account|consideration)|nothing but|none other than|not (?:bad|great|perfect|ideal|terrible|outstanding|exceptional"
    r"|stellar|amazing|awful|horrible)|to be (?:precise|exact|fair|honest|clear|frank|specific)|one (?=(?:label|category|score|answer)\b)"
    r"|they (?=(?:all )?point to\b)|to my mind|on the other hand|if (?:(?:i|we) (?:must|have to|had to)|forced to) (?:choose|pick|decide)|to your question"
    r"|end up|first (?=label|category)|file (?:it|this|the reply) under|the one that (?:fits|matches|applies)|reads (?:to me )?as|no other label|one of"
    r"|has to|have to|point of view|in short|in the end|at the end|to sum up|on (?:(?:a )?second (?:thoughts?|look|reading)|(?:a )?closer (?:look|inspection|reading)|re-?reading)"
    r"|first (?:one |question |of (?:them|these) )?that (?:applies|fits)|that (?:applies|fits) first|an? (?:clear |good |typical |perfect |prime |classic )?example of(?= *$)"
    r"|the supporter(?= an? *$)|last (?:line|sentence|turn|message)|this one(?:'s)?|(?:as|that|which)? ?you (?:asked for|requested|wanted)|as requested|all in all"
    r"|at first(?: glance)?|(?<=\bi )first|all things considered|at (?:its|the) end)\b"
)
_CHINESE_WORDS = """
表现 地说 八个 七个 五个 几个 实际上 严格来说 严格地说 具体来说 客观来说 专业 临床 心理学 文本 整段 情况 出发 本题 主要 无疑 结合 上下文 全文 分别 之所以 明白 确定 配得上 总的 上看 综上所述 综上
综合 总体 整体 总之 因此 所以 故而 故 最终 结论 结果 以上 上述 分析 理由 考虑 我们 本人 我 认为 觉得 判断 决定 给予 给 打 评级 评价 评估 评 判 定 得 获 应当 应 可 能够 能 值 为 是
属于 达到 符合 处于 位于 落在 相当于 选择 选 计 记 算 该 此 这 本 条 段 则 个 回复者 回复 回应 答复 回答 答 方面 维度 项目 项 指标 量表 锚点 描述 等级 级别 分数 数值 程度 水平 总分
中 里 在 的 了 它 其 对 而言 来说 来看 看来 看 就 只 仅 也 还是 仍 将 会 按照 按 根据 依据 依照 改成 改 修正 更正 调整 重新 恰好 正好 明确 准确 合适 恰当 比较 较 一 出 到 于 与
和 及 以 终评 终判 综合起来 由 从 不如说 不如 那么 那 好 嗯 其实 更 最 正确 顺序 定义 范围 赋分 输出 如下 把 关于 实际 建议 个人 总评 答案 后来 仔细 低 差 一般 中等 良好 高 优秀 很
再 细看 之后 后 经 拿 句 话 让 使 令 拉 提 升 降 标签 类别 编号 归入 归 划为 划入 标注 标 贴上 认定 定性 视为 算作 当属 当选 构成 体现 典型 明显 显然 类 即 实则 实为 剩下 先 适用
首先 其次 过程 思考 解释 说明 反馈 评语 总结 既不是 并非 不 整体上 被 固定 标准 分 太高 太低 偏低 偏高 过高 过低 不够 刚好 角度 维度上 方面上 经过 问题 内容 语气 第 合理 贴切 适当 类型
内 现 目前 如今 存在 毫无疑问 对照 最佳 所属 预测 吻合 各项 各维度 唯一 只有 迹象 所有 都 据此 名称 适合 相符 一致 满足 带有 特征 具有 呈现 犯了 宜 综合下来 指向 说到底 归根结底
一言以蔽之 公允 进行 根据您的要求 按照您的要求 根据要求 按照要求 按要求 权衡 之间 再想想 想想 能力 您要的 以下 标籤 标簽 伤害最大 危害最大 最严重
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_LONGEST_FIRST = sorted(_CHINESE_WORDS.split(), key=len, reverse=True)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_HAN_WORDS = re.compile(f"(?:{'|'.join(_LONGEST_FIRST)})*")
_APART = re.compile(
    r"标准(?:答案|评?分)|最[高低]分|本(?:可|应|想|来|该|会)|第[一二三四五六七八九十\d]+[条轮次句]|前[几两三]轮|(?<!最)[前后上]一?[句条轮]|^\W*(?:一般|中等|良好|优秀|[低差好]|很?[低高])的(?:回复|回应|答复|回答)|^\W*给(?:我|它)[打评]?(?=\W*$)"
)  # of plain words, but another's or no verdict
_TURN = re.compile(  # whose words are rated, or hurt
    r"对(?:这位|该)?(?:求助者|来访者)(?:可能)?(?=[伤危]害最大)|(?:支持者|倾听者|咨询师|助人者|助手|机器人|模型)的?(?:最[后新]|这)?(?:的|一?句|一?条|一次|一轮)?(?:回复|回应|答复|回答|发言|话|表述)"
    r"(?!里|中|上|说|认为|要求|写|称)"
)
_ABOVE = re.compile(
    r"(?<= )(?:力?度|[性力])?(?:上|(?![\u4e00-\u9fff]))|(?:支持者|咨询师)(?:的(?=\s*(?:水平|程度|得分|评分|表现|能力))|(?=[得获犯]))"
)  # what is left of "共情上", the name taken out


def is_of_plain_words(text: str, called: frozenset[str]) -> bool:
    """Say whether a text has only words with which verdicts are given, and the names in `called`."""
    names, parts = _known(called)
    text = _APART.sub(" \u2014x\u2014 ", _TURN.sub(" ", text.casefold()))
    for name in names:
        text = text.replace(name, " ")
    text = _ABOVE.sub("", _ENGLISH_PHRASES.sub(" ", text))
    words = _WORD.findall(text)
    odd = {word for word in words if not (word.isdigit() or _is_plain(word))}
    return odd <= {*chain(*parts)} and (not odd or any(part <= {*words} for part in parts))


def _is_plain(word: str) -> bool:
    if _HAN.match(word):
        return all(_HAN_WORDS.fullmatch(run) for run in _HAN.findall(word))
    return word in _ENGLISH


@lru_cache(maxsize=256)
def _known(called: frozenset[str]) -> tuple[tuple[str, ...], tuple[frozenset[str], ...]]:
    """The names and their Chinese parts, the longest first; and the words of the English ones."""
    names = {plain(name).casefold() for name in called}
    parts = {part for name in names for part in name.split("的") if _HAN.match(part)}
    words = [_WORD.findall(part) for name in names for part in re.split(r"\b(?:and|of)\b", name)]
    odd = tuple(frozenset(part) for part in words if not all(map(_is_plain, part)))
    return tuple(sorted(names | parts, key=len, reverse=True)), odd
