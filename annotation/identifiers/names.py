"""Names of people, where something says that a name comes: a cue before it, or a title after it."""

import re
from collections.abc import Iterator

from annotation.identifiers.kinds import IdentifierKind
from annotation.identifiers.numbers import Span

# Of nine Chinese in ten and more, by the census; two signs first.
_DOUBLE = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|司徒|令狐|夏侯|端木|南宫"
_SINGLE = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁"
    "任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦傅方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴"
    "莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅"
    "童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁房滕屈饶解牟艾尤时阳穆农司古吉缪车项连芦"
)
_SURNAME = rf"(?:{_DOUBLE}|[{_SINGLE}])"
_HAN = r"[\u4e00-\u9fff]"
# What may follow a name without a stop between them.
_AFTER = r"(?=[^\u4e00-\u9fff]|$|[今在是的说和跟与住从来想很也有，就都对给把被让,])"
_GIVEN = rf"(?:(?![的是了在我你他她们不有很这那什么]){_HAN})"
_CUES = (
    r"我叫|叫做|名叫|名字叫|名字是|姓名(?:[:：]|是|为)? ?|本人|患者|病人|来访者|联系人(?:[:：]|是)? ?|收件人(?:[:：]|是)? ?"
    r"|(?:男友|女友|男朋友|女朋友|丈夫|妻子|老公|老婆|同事|室友|同学|朋友|儿子|女儿|妹妹|弟弟|姐姐|哥哥|班主任|咨询师)(?:叫|是)?"
)
_AFTER_CUE = re.compile(rf"(?:{_CUES})(?P<hit>{_SURNAME}{_GIVEN}{{1,2}}?){_AFTER}")
_I_AM = re.compile(rf"我是(?P<hit>{_SURNAME}{_GIVEN}{{1,2}}?)(?=[，。,.！!\s]|$)")
_TITLES = "医生|大夫|老师|主任|护士|先生|女士|小姐|教授|阿姨|叔叔|同学|经理|警官|律师|咨询师"
_BEFORE_TITLE = re.compile(
    rf"(?<![\u4e00-\u9fff])(?P<hit>{_SURNAME}{_GIVEN}{{0,2}}?)(?:{_TITLES})"
    rf"|(?<=[和跟找问见给是对向叫请让])(?P<then>{_SURNAME}{_GIVEN}{{0,2}}?)(?:{_TITLES})"
)
_NO_NAMES = frozenset(
    [
        "高中生",
        "高三生",
        "高一生",
        "高二生",
        "文科生",
        "成年人",
        "单身",
        "安全",
        "方便",
        "时候",
        "向来",
        "高兴",
        "白天",
        "金融",
        "文员",
        "温柔",
        "关心",
        "管理",
        "任何",
        "平时",
        "高一",
        "高二",
        "高三",
        "路人",
        "华人",
        "成人",
        "司机",
        "石家庄人",
        "江苏人",
        "江西人",
        "成都人",
        "安徽人",
        "陕西人",
        "武汉人",
        "万分",
        "连夜",
        "解释",
        "时常",
        "成绩",
        "游客",
        "申请",
        "包括",
        "车祸",
        "时间",
        "毕业",
        "成功",
        "于是",
        "何时",
        "何况",
        "万一",
        "曾经",
        "向上",
        "易怒",
        "严重",
        "单亲",
        "独生",
        "常客",
        "夏天",
        "钱包",
        "季节",
    ]
)

_WORD = r"(?:[A-Z]['’])?[A-Z][a-z]+(?:['’-][A-Z]?[a-z]+)*"
_KIN = (
    r"therapist|counsellor|counselor|doctor|psychiatrist|husband|wife|boyfriend|girlfriend|partner|sister|brother|friend"
    r"|boss|manager|son|daughter|mother|father|mom|mum|dad|aunt|uncle|cousin|colleague|roommate|teacher|neighbour|neighbor"
)
_ENGLISH = re.compile(
    r"\b(?:(?i:my name is|my name's|my name was|I am called|I'm called|call me|name:|patient|client named|signed,|contact)"
    r"|(?:[Mm]y|[Hh]is|[Hh]er) (?:best |old |late |ex-)?(?:"
    + _KIN
    + r")(?:,| is called| is named| called| named|'s name is)?"
    r"|(?:Dr|Mr|Mrs|Ms|Mx|Prof|Professor|Miss|Nurse)\.?)"
    rf" (?P<hit>{_WORD}(?: (?:[A-Z]\. )?{_WORD}){{0,2}})"
)
_THIS_IS = re.compile(rf"\b(?:I am|I'm|[Tt]his is) (?P<hit>{_WORD} {_WORD})(?=[,.!]| and\b)")
_NO_NAMES_IN_ENGLISH = frozenset(
    [
        "God",
        "Jesus",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
        "Christmas",
        "Easter",
        "English",
        "Chinese",
        "American",
        "British",
        "Catholic",
        "Muslim",
        "Jewish",
        "Buddhist",
        "Christian",
        "Indian",
        "African",
        "European",
        "German",
        "French",
        "Spanish",
        "Canadian",
        "Australian",
        "Who",
        "What",
        "When",
        "Where",
        "Why",
        "How",
        "The",
        "That",
        "This",
        "It",
        "She",
        "He",
        "They",
        "We",
        "You",
        "And",
        "But",
        "So",
        "If",
        "Then",
        "Yes",
        "No",
        "Not",
        "Please",
        "Thanks",
        "Right",
    ]
)


def names_in(text: str) -> Iterator[Span]:
    for pattern in (_AFTER_CUE, _I_AM):
        for match in pattern.finditer(text):
            if match["hit"] not in _NO_NAMES:
                yield IdentifierKind.NAME, *match.span("hit")
    for match in _BEFORE_TITLE.finditer(text):
        group = "hit" if match["hit"] else "then"
        if match[group] not in _NO_NAMES:
            yield IdentifierKind.NAME, *match.span(group)
    for pattern in (_ENGLISH, _THIS_IS):
        for match in pattern.finditer(text):
            if match["hit"].split()[0] not in _NO_NAMES_IN_ENGLISH:
                yield IdentifierKind.NAME, *match.span("hit")
