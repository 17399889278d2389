"""Sentences with and without identifiers, drawn by a seed; lists here are not those of the rules."""

import random
from dataclasses import dataclass

SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎"
GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛超霞平刚桂英建华志明国庆文玉兰春梅海燕晓红雪莲子涵雨欣浩然梓轩诗琪思远佳怡"
FIRST = [
    "Anna",
    "Ben",
    "Carlos",
    "Dana",
    "Emeka",
    "Fatima",
    "Grace",
    "Hannah",
    "Ivan",
    "Julia",
    "Kofi",
    "Laura",
    "Mei",
    "Noah",
    "Olga",
    "Priya",
    "Quinn",
    "Rosa",
    "Sam",
    "Tara",
]
LAST = [
    "Okafor",
    "Smith",
    "Mueller",
    "O'Brien",
    "Garcia",
    "Chen",
    "Johnson",
    "Petrov",
    "Haddad",
    "Nguyen",
    "Larsen",
    "Rossi",
    "Silva",
    "Novak",
    "Khan",
]
ROADS = [
    "人民",
    "中山",
    "解放",
    "建设",
    "和平",
    "长江",
    "南京西",
    "学院",
    "朝阳门外",
    "文化",
    "幸福",
    "迎宾",
    "北三环东",
    "珠江",
]
CITIES = [
    "北京市",
    "上海市",
    "广东省深圳市",
    "浙江省杭州市",
    "四川省成都市",
    "武汉市",
    "南京市",
    "",
]
DISTRICTS = ["海淀区", "浦东新区", "南山区", "西湖区", "武侯区", "玄武区", ""]
STREETS = [
    "Maple",
    "Oak",
    "Elm",
    "Washington",
    "Lincoln",
    "Highland",
    "Sunset",
    "Church",
    "Willow",
    "River",
]
WAYS = ["Street", "Ave", "Road", "Lane", "Drive", "Blvd"]
FIGURES = "零一二三四五六七八九"

LEADS = {
    "zh": ["最近总是睡不着，", "医生，", "我不知道该怎么办。", "", "真的很累，", "说实话"],
    "en": ["I have not slept for days. ", "Honestly, ", "", "It is hard to say this. ", "Hi. "],
}
TAILS = {
    "zh": ["，请帮帮我。", "。", "，谢谢", "，今天能聊聊吗？", "。我很害怕！"],
    "en": [", please help.", ".", ", thank you!", ". Can we talk today?", " and I am scared."],
}


@dataclass(frozen=True)
class Made:
    text: str
    kind: str = ""
    begin: int = 0
    end: int = 0


class Maker:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311 -- the same sentences each time

    def digits(self, n: int) -> str:
        return "".join(self.draw.choice("0123456789") for _ in range(n))

    def resident_id(self) -> str:
        day = f"{self.draw.randint(1950, 2008)}{self.draw.randint(1, 12):02}{self.draw.randint(1, 28):02}"
        body = self.draw.choice(["110105", "310115", "440305", "510107"]) + day + self.digits(3)
        weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
        total = sum(w * int(d) for w, d in zip(weights, body, strict=True))
        return body + "10X98765432"[total % 11]

    def card(self) -> str:
        body = self.draw.choice(["622202", "4", "51", "621700"])
        body += self.digits(15 - len(body))
        total = sum(
            sum(divmod(int(d) * (1 + (place % 2 == 0)), 10))
            for place, d in enumerate(reversed(body))
        )
        number = body + str(-total % 10)
        if self.draw.random() < 0.5:
            return " ".join(number[start : start + 4] for start in range(0, 16, 4))
        return number

    def mobile(self) -> str:
        number = "1" + self.draw.choice("356789") + self.digits(9)
        return self.draw.choice(
            [
                number,
                f"+86 {number}",
                f"{number[:3]}-{number[3:7]}-{number[7:]}",
                f"{number[:3]} {number[3:7]} {number[7:]}",
                "".join(FIGURES[int(digit)] for digit in number),
                number.translate(str.maketrans("0123456789", "０１２３４５６７８９")),
            ]
        )

    def phone(self) -> str:
        area, first = self.draw.randint(201, 989), self.draw.randint(201, 989)
        rest = self.digits(4)
        return self.draw.choice(
            [
                f"({area}) {first}-{rest}",
                f"{area}-{first}-{rest}",
                f"+1 {area} {first} {rest}",
                f"+44 20 7946 {rest}",
            ]
        )

    def email(self) -> str:
        user = self.draw.choice(["zhang.san", "li_si88", "frog+pond", "k9", "m.mueller-7"])
        return f"{user}@{self.draw.choice(['qq.com', '163.com', 'mail.example.org', 'uni-hill.ac.uk'])}"

    def chinese_name(self) -> str:
        given = "".join(self.draw.choice(GIVEN) for _ in range(self.draw.choice([1, 2, 2])))
        return self.draw.choice(SURNAMES) + given

    def english_name(self) -> str:
        first, last = self.draw.choice(FIRST), self.draw.choice(LAST)
        return self.draw.choice([first, f"{first} {last}"])

    def chinese_address(self) -> str:
        city = self.draw.choice(CITIES)
        region = city + (self.draw.choice(DISTRICTS) if city else "")
        door = self.draw.choice(["", "3号楼", "5栋2单元", "12号楼3单元402室", "601室"])
        return f"{region}{self.draw.choice(ROADS)}路{self.draw.randint(1, 999)}号{door}"

    def english_address(self) -> str:
        flat = self.draw.choice(["", ", Apt 4B", ", Springfield", ", Springfield, IL 62704"])
        return f"{self.draw.randint(1, 9999)} {self.draw.choice(STREETS)} {self.draw.choice(WAYS)}{flat}"

    def wechat(self) -> str:
        return self.draw.choice(["xiaoming_88", "wxid-7fgh2k", "LilyPond1999", "frog_in_pond"])

    def placed(self, language: str, kind: str, pattern: str, value: str) -> Made:
        lead, tail = self.draw.choice(LEADS[language]), self.draw.choice(TAILS[language])
        before, after = pattern.split("{}")
        begin = len(lead) + len(before)
        return Made(f"{lead}{before}{value}{after}{tail}", kind, begin, begin + len(value))

    def with_one(self) -> Made:
        kind, language, pattern, make = self.draw.choice(self.shapes())
        return self.placed(language, kind, pattern, make())

    def shapes(self) -> list:
        return [
            ("resident_id", "zh", "身份证{}", self.resident_id),
            ("resident_id", "zh", "我的身份证号是{}", self.resident_id),
            ("resident_id", "en", "my Chinese ID is {}", self.resident_id),
            ("card", "zh", "卡号{}", self.card),
            ("card", "en", "they charged {}", self.card),
            (
                "ssn",
                "en",
                "my social is {}",
                lambda: (
                    f"{self.draw.randint(100, 665)}-{self.draw.randint(10, 99)}-{self.draw.randint(1000, 9999)}"
                ),
            ),
            ("ssn", "en", "SSN: {}", lambda: f"{self.draw.randint(100000000, 665000000)}"),
            ("phone", "zh", "电话是{}", self.mobile),
            ("phone", "zh", "打{}找我", self.mobile),
            ("phone", "zh", "单位座机{}", lambda: f"010-6{self.digits(7)}"),
            ("phone", "en", "call me at {}", self.phone),
            ("phone", "en", "text {}", self.phone),
            ("email", "zh", "邮箱是{}请", self.email),
            ("email", "en", "write to {}", self.email),
            ("chat", "zh", "加我微信{}", self.wechat),
            ("chat", "zh", "微信号：{}", self.wechat),
            ("chat", "zh", "vx是{}", self.wechat),
            ("chat", "zh", "QQ号{}", lambda: f"{self.draw.randint(10000, 2999999999)}"),
            ("chat", "zh", "扣扣：{}", lambda: f"{self.draw.randint(10000, 2999999999)}"),
            ("chat", "en", "my WeChat is {}", self.wechat),
            ("address", "zh", "我住在{}", self.chinese_address),
            ("address", "zh", "地址是{}", self.chinese_address),
            ("address", "zh", "他搬到了{}", self.chinese_address),
            ("address", "en", "I live at {}", self.english_address),
            ("address", "en", "she moved to {} last year", self.english_address),
            ("name", "zh", "我叫{}", self.chinese_name),
            ("name", "zh", "我叫{}今年二十岁", self.chinese_name),
            ("name", "zh", "我的名字是{}", self.chinese_name),
            ("name", "zh", "姓名：{}", self.chinese_name),
            ("name", "zh", "昨天去找{}医生", lambda: self.draw.choice(SURNAMES)),
            ("name", "zh", "我男朋友叫{}", self.chinese_name),
            ("name", "zh", "我同事{}说我太敏感", self.chinese_name),
            ("name", "en", "my name is {}", self.english_name),
            ("name", "en", "I saw Dr. {}", lambda: self.draw.choice(LAST)),
            ("name", "en", "my sister {} told me", self.english_name),
            ("name", "en", "call me {}", lambda: self.draw.choice(FIRST)),
            ("name", "en", "my therapist is named {}", self.english_name),
        ]

    def without(self) -> Made:
        language, sentence = self.draw.choice(self.innocent())
        return Made(
            self.draw.choice(LEADS[language]) + sentence + self.draw.choice(TAILS[language])
        )

    def innocent(self) -> list[tuple[str, str]]:
        wrong_id = self.resident_id()
        wrong_id = wrong_id[:-1] + ("1" if wrong_id[-1] != "1" else "2")
        dose, order = self.draw.randint(5, 300), self.digits(8)
        return [
            ("zh", f"每天吃{dose}毫克的药"),
            ("zh", f"订单编号{wrong_id}一直没发货"),
            ("zh", f"快递单号{order}"),
            ("zh", "我是高中生"),
            ("zh", "我是单身"),
            ("zh", "老师说我很安静"),
            ("zh", "医生让我按时吃药"),
            ("zh", "我在学校门口的路上走了很久"),
            ("zh", "他说一二三四五，我就开始数数"),
            ("zh", f"考了{dose}分，全班第{self.draw.randint(1, 40)}名"),
            ("zh", f"2023年{self.draw.randint(1, 12)}月{self.draw.randint(1, 28)}日开始失眠"),
            ("zh", "我的朋友都不理我"),
            ("zh", "微信上聊了很多，他不回"),
            ("zh", "同学们都在笑我"),
            ("zh", "我和妈妈吵架了，住在宿舍"),
            ("zh", "患者健康问卷得了十五分"),
            ("en", f"I take {dose} mg every morning"),
            ("en", f"my score on the PHQ-9 was {self.draw.randint(0, 27)}"),
            ("en", f"order {order} never came"),
            ("en", "call me later if you can"),
            ("en", "my friend never answers"),
            ("en", "my doctor says that it takes time"),
            ("en", "I'm Catholic and it is not easy"),
            (
                "en",
                f"since {self.draw.randint(1, 12)}/{self.draw.randint(1, 28)}/2023 I cannot sleep",
            ),
            ("en", "this is not my fault"),
            ("en", f"I walked {self.draw.randint(2, 30)} miles down the road"),
            ("en", "On Monday I felt better"),
            ("en", f"it cost ${dose}.99 and 100-200 more"),
            ("en", "WeChat messages pile up"),
        ]
