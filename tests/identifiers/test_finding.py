"""What the check on identifiers finds, and what it leaves alone."""

import itertools
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.identifiers import Hit, IdentifierKind, find, moved, redact
from annotation.identifiers.digits import is_resident_id, passes_luhn
from tests.identifiers.made import Maker

N_SENTENCES = 1_000
STRUCTURED = 0.99  # least recall of what has a form of its own
UNSTRUCTURED = 0.90  # of names and addresses
PRECISION = 0.95


def kinds(text: str) -> list[tuple[str, str]]:
    return [(hit.kind.value, text[hit.begin : hit.end]) for hit in find(text)]


def test_recall_and_precision_on_a_thousand_sentences():
    maker = Maker(seed=9)
    sentences = [maker.with_one() if n % 2 else maker.without() for n in range(N_SENTENCES)]
    there, found, right, wrong = Counter(), Counter(), Counter(), Counter()
    missed, false = [], []
    for made in sentences:
        hits = find(made.text)
        for hit in hits:
            is_right = hit.kind == made.kind and hit.begin < made.end and made.begin < hit.end
            (right if is_right else wrong)[hit.kind.value] += 1
            if not is_right:
                false.append((hit.kind.value, made.text))
        if made.kind:
            there[made.kind] += 1
            covered = any(hit.begin <= made.begin and made.end <= hit.end for hit in hits)
            found[made.kind] += covered
            if not covered:
                missed.append((made.kind, made.text))
    lines = [f"{'kind':12} {'there':>6} {'recall':>7} {'precision':>9}"]
    for kind in IdentifierKind:
        precision = right[kind] / max(right[kind] + wrong[kind], 1)
        lines.append(f"{kind:12} {there[kind]:6} {found[kind] / there[kind]:7.3f} {precision:9.3f}")
    recall, precision = found.total() / there.total(), right.total() / (right + wrong).total()
    lines.append(f"{'all':12} {there.total():6} {recall:7.3f} {precision:9.3f}")
    sys.stdout.write("\n" + "\n".join(lines) + "\n")
    loose = {"name", "address"}
    for group, least in (({*there} - loose, STRUCTURED), (loose, UNSTRUCTURED)):
        recall = sum(found[kind] for kind in group) / sum(there[kind] for kind in group)
        assert recall >= least, missed[:20]
    assert precision >= PRECISION, false[:20]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("邮箱是zhangsan@qq.com请", [("email", "zhangsan@qq.com")]),
        ("证件11010519491231002X，", [("resident_id", "11010519491231002X")]),
        ("证件110105194912310021，", []),
        ("电话：１３８００１３８０００", [("phone", "１３８００１３８０００")]),
        ("一三八零零一三八零零零", [("phone", "一三八零零一三八零零零")]),
        ("call (415) 555-2671 now", [("phone", "(415) 555-2671")]),
        ("卡号6222020200112233 ", []),
        ("4111 1111 1111 1111", [("card", "4111 1111 1111 1111")]),
        ("My SSN is 078051120.", [("ssn", "078051120")]),
        ("我叫欧阳雪，", [("name", "欧阳雪")]),
        ("Dr. O'Brien and my sister Mei", [("name", "O'Brien"), ("name", "Mei")]),
        ("我住在海淀区学院路37号", [("address", "海淀区学院路37号")]),
        ("张女士说的", [("name", "张")]),
        ("我和李老师谈过", [("name", "李")]),
        ("call +45 12 34 56 78", [("phone", "+45 12 34 56 78")]),
        ("call +1 234 5678", [("phone", "+1 234 5678")]),
        ("from +1 234 567 on", []),
        ("my WeChat is sunshine", [("chat", "sunshine")]),
        ("微信号：sunshine", [("chat", "sunshine")]),
        ("WECHAT ID sunshine", [("chat", "sunshine")]),
        ("a WeChat message from home", []),
        ("13800138000@qq.com", [("email", "13800138000@qq.com")]),
        ("我叫李明13800138000。", [("name", "李明"), ("phone", "13800138000")]),
        ("a@qq.com海淀区学院路37号", [("email", "a@qq.com"), ("address", "海淀区学院路37号")]),
        ("QQ一二三四五六七", [("chat", "一二三四五六七")]),
        ("QQ一二三四五六", []),
        ("单身女士也可以", []),
        ("call me Monday, or call me Mei", [("name", "Mei")]),
        ("", []),
    ],
)
def test_what_stands_in_a_text(text, expected):
    assert kinds(text) == expected


def test_what_is_redacted_says_its_kind_and_nothing_else():
    text = "我叫李明，电话13800138000。"
    assert redact(text, find(text)) == "我叫[name]，电话[phone]。"


@given(st.text(alphabet="0123456789Xx-@.a我叫李明路号 +（１", max_size=60))
def test_places_are_in_order_and_apart(text):
    hits = find(text)
    assert all(0 <= hit.begin < hit.end <= len(text) for hit in hits)
    assert all(left.end <= right.begin for left, right in itertools.pairwise(hits))
    if not hits:
        assert redact(text, hits) == text


@given(st.integers(min_value=0, max_value=10**17 - 1))
def test_one_last_sign_alone_makes_a_resident_id(number):
    body = f"{number:017}"
    assert sum(is_resident_id(body + sign) for sign in "0123456789X") == 1


@given(st.integers(min_value=0, max_value=10**15 - 1))
def test_one_last_figure_alone_makes_a_card(number):
    assert sum(passes_luhn(f"{number:015}{digit}") for digit in range(10)) == 1


def test_a_hit_is_found_fast_in_a_long_text():
    text = "我今天很难过，不知道怎么办。" * 2_000 + "微信号abc_12345"
    assert [hit.kind for hit in find(text)] == [IdentifierKind.CHAT]
    assert find(text) == [Hit(len(text) - 9, len(text), IdentifierKind.CHAT)]


@given(st.data())
def test_a_part_of_a_text_is_found_again_once_it_is_redacted(data):
    text = data.draw(st.text(alphabet="abc ", max_size=30))
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    hits = [
        Hit(begin, end, IdentifierKind.PHONE)
        for begin, end in zip(places[::2], places[1::2], strict=False)
    ]
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    first, last = moved(hits, begin, end)
    touched = [hit for hit in hits if hit.begin < end and begin < hit.end]
    whole = min([begin, *(one.begin for one in touched)]), max([end, *(one.end for one in touched)])
    inside = [
        Hit(one.begin - whole[0], one.end - whole[0], one.kind)
        for one in hits
        if whole[0] <= one.begin and one.end <= whole[1]
    ]
    if begin < end:
        assert redact(text, hits)[first:last] == redact(text[whole[0] : whole[1]], inside)
