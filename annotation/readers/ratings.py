"""Files of ratings: the MentalAlign layout, or tables with a row for a rating or for an item, where
each rater has a row of their own or columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from annotation.readers import argilla, label_studio, potato, prodigy
from annotation.readers.fields import (
    CONVERSATION_NAMES,
    NAMES_OF_AN_ITEM,
    in_lower_case,
    item_key,
    read_item,
)
from annotation.readers.mentalalign import Conversations, RaterKind, is_mentalalign
from annotation.readers.messages import number_in
from annotation.readers.names import (
    LONG_FIELDS,
    OPTIONAL_RATING_FIELDS,
    RATED_ITEM,
    RATING_FIELDS,
    own_names,
    renamed,
)
from annotation.readers.nesting import rows_within, value_within
from annotation.readers.problems import CannotRead, FilePlace, FileProblem, FileReason, Flaw
from annotation.readers.records import (
    Record,
    Source,
    check_size,
    each,
    first_sign,
    json_list_records,
    jsonl_records,
    limited,
)
from annotation.readers.tables import TABLES, FileTable
from annotation.readers.texts import checked, dialogue_sha256, is_no_value
from annotation.readers.values import Criteria, Value
from annotation.rubric import answers
from annotation.rubric.schema import Criterion, Rubric
from annotation.rubric.sentences import sentence

RATER_KEY = re.compile(r"[-\w]{1,100}", re.ASCII)
MOST_REPEATS = 1_000
_COLUMNS = NAMES_OF_AN_ITEM | {"rater", "repeat", "criterion", "value", "reason"}
_NUMBERED = re.compile(r"(?:([A-Za-z]{1,50}) )?(\d{1,9})(?:\.0)?", re.ASCII)  # "Rater 1", "3.0"
_NAMED = "NAME = CRITERION"
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_AGAIN = re.compile(r"(?P<name>.+)\.\d+")  # as pandas calls a second column of one name
# What becomes of ratings: as one more rater it would agree with the others.
_OF_ALL = {
    *("consensus", "majority", "majority_vote", "majority_label", "gold", "gold_label", "final"),
    *("ground_truth", "adjudicated", "adjudication", "aggregate", "aggregated", "agreed"),
    *("mean", "average", "median"),
}
# What stands behind the name of a criterion where programs sum up ratings, or suggest one.
_NOBODY = _OF_ALL | {
    *("avg", "std", "stdev", "stddev", "sd", "var", "variance", "sum", "total", "count"),
    *("suggestion", "responses"),
}
# Who rated, under a name that may be somebody else's too.
_MAY_BE_RATERS = re.compile(
    r"(?:annotator|rater|coder|evaluator|reviewer|assessor|labell?er|scorer|judge|worker)"
    r"(?:s?_(?:name|id|no|nr|number|key|code|e?mail))?"
    r"|(?:user|respondent|participant|expert|clinician)_?(?:name|id|no|nr|number|key|code)|prolific_p?id"
    r"|e_?mail(?:_address)?|(?:rated|annotated|labell?ed|reviewed|scored|coded|completed|created)_by"
    r"|_annotator_id|_session_id|(?:评分|评价|评估|评审|标注|审核)(?:人|人员|者)|评审|专家|姓名|用户名"
)
_SIGNS = re.compile(r"[\s-]+")
_UNNAMED = re.compile(r"column \d+")
_WHOLE_NUMBER = re.compile(r"(\d{1,9})(\.0*)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingSet:
    """What one rater says of one item at one `repeat`; `rater` is "" where the file does not name it.

    `comment` are the reasons given, `dialogue_sha256` is the text that was rated: "" where the
    file does not hold them.
    """

    place: FilePlace
    field: str
    rater: str = ""
    repeat: int = 1
    item_key: str
    dialogue_key: str = ""
    dialogue_sha256: str = ""
    values: tuple[Value, ...]
    comment: str = ""

    def shown(self) -> dict[str, object]:
        """What a page says of the set before it is imported, as JSON can hold it."""
        return {
            "item_key": self.item_key,
            "rater": self.rater,
            "repeat": self.repeat,
            "ratings": [
                {
                    "criterion": value.criterion,
                    "value": value.score if value.label is None else value.label,
                }
                for value in self.values
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LongRow:
    """One rating of a set; the rows of a set may stand anywhere in the file."""

    place: FilePlace
    rater: str
    repeat: int = 1
    item_key: str
    value: Value
    reason: str = ""


class RatingFile:
    """A file of ratings, opened: `layout` is what it was recognised as.

    MentalAlign, of which one file `is_of_one_rater`, yields RatingSets, every other layout
    LongRows. `kind` is what the file says of its rater, None where it does not; `ignored` are
    fields and attributes that nothing was read from, and `declined` counts what its annotators
    rejected or skipped, known once the rows have been read.
    """

    def __init__(self, source: Source, rubric: Rubric) -> None:
        check_size(source)
        self._source = source
        self._criteria = Criteria(rubric)
        self.kind: RaterKind | None = None
        self.declined = 0
        self._ignored: set[str] = set()
        self._spelt: dict[str, str] = {}
        self._raters: set[tuple[str, str]] = set()  # of columns, no values
        self._under: dict[str, str] = {}  # {a column without a name: the criterion in front of it}
        self._who: dict[str, object] = {}  # what the first row says of who may have rated
        self._own_names = lru_cache(maxsize=64)(self._own_names_of)
        self.layout, self._rows = self._recognise()

    def __iter__(self) -> Iterator[RatingSet | LongRow | FileProblem]:
        return self._rows

    @property
    def is_of_one_rater(self) -> bool:
        return self.kind is not None

    @property
    def ignored(self) -> set[str]:
        return self._ignored | self._criteria.strangers

    def _recognise(self) -> tuple[str, Iterator[RatingSet | LongRow | FileProblem]]:
        match self._source.suffix:
            case ending if ending in TABLES:
                return self._recognise_table(FileTable(self._source, self._ignored))
            case ".jsonl" | ".ndjson":
                return "JSON Lines", self._long_rows(jsonl_records(self._source))
            case ".json" if first_sign(self._source.path) == "{":
                return "JSON Lines", self._long_rows(jsonl_records(self._source))
            case ".json":
                return "JSON", self._long_rows(json_list_records(self._source))
        raise CannotRead(
            sentence(
                "Ratings are read from .xlsx, .csv, .jsonl and .json files; this name ends "
                "otherwise. Save the table as .xlsx, or as CSV in UTF-8."
            )
        )

    def _recognise_table(
        self, table: FileTable
    ) -> tuple[str, Iterator[RatingSet | LongRow | FileProblem]]:
        if is_mentalalign(table.columns):
            conversations = Conversations(table)
            self.kind = conversations.kind
            self._ignored |= conversations.ignored
            return "MentalAlign", self._sets(conversations)
        names = [name.casefold() for name in table.columns]
        self._spelt = dict(zip(names, table.columns, strict=True))
        if potato.is_row({*names}):
            return "Potato", self._long_rows(table.records())
        self._under = self._under_heads(names)
        try:
            own = self._own_names(tuple(names))
        except Flaw as flaw:
            raise CannotRead(flaw.sentence) from None
        is_long = "criterion" in (*names, *own.values())
        of_raters = any(map(self._criterion_and_rater, names)) or argilla.questions_in(
            names, self._criterion_of
        )
        if not is_long and not of_raters and not any(map(self._criterion_of, names)):
            raise CannotRead(
                sentence(
                    "The first row that is not blank, in a workbook of its first sheet, is the "
                    "header. It names neither criterion and value, for one rating a row, nor a "
                    "criterion of the rubric, for one item a row, nor CRITERION.RATER, for a "
                    "column a rater. The criteria are: {criteria}. If columns have other names, say "
                    "which: {example}.",
                    criteria=self._criteria.keys,
                    example=self._called_otherwise(names),
                )
            )
        items, others = next(iter(RATED_ITEM.items()))
        needs = [(*items, *others, *CONVERSATION_NAMES)]
        if is_long and "value" not in own.values():
            needs.append(("value",))
        return table.layout, self._long_rows(table.records(*needs))

    def _sets(self, conversations: Conversations) -> Iterator[RatingSet | FileProblem]:
        for conversation in limited(conversations):
            if isinstance(conversation, FileProblem):
                yield conversation
                continue
            text = dialogue_sha256(conversation.turns)
            for cell in conversation.cells:
                yield RatingSet(
                    place=conversation.place,
                    field=cell.column,
                    item_key=item_key(conversation.key, cell.generator),
                    dialogue_key=conversation.key,
                    dialogue_sha256=text,
                    values=self._criteria.read_cell(cell.raw),
                )

    def _long_rows(
        self, records: Iterator[Record | FileProblem]
    ) -> Iterator[LongRow | FileProblem]:
        for rows in each(limited(records), self._rows_of):
            if isinstance(rows, FileProblem):
                yield rows
            else:
                yield from rows

    def _rows_of(self, record: Record) -> list[LongRow]:
        within = self._rows_within(record.fields)
        rows = [self._rows_in(replace(record, fields=one)) for one in within]
        return list(chain.from_iterable(rows))

    def _rows_within(self, fields: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """The fields of each row that a record holds, as it was written by one tool or another."""
        names = {name.strip().casefold() for name in fields}
        if task := label_studio.task_in(fields):
            self._ignored |= {"predictions"} if fields.get("predictions") else set()
            self.declined += label_studio.n_skipped(task)
            yield from label_studio.annotations_of(task)
        elif questions := argilla.questions_in(names, self._criterion_of):
            rows, declined = argilla.answers_in(fields, questions)
            self.declined += declined
            yield from rows
        elif prodigy.ANSWER in names and prodigy.is_declined(fields):
            self.declined += 1
        elif potato.is_row(names):
            spelt = {self._spelt.get(name, name): raw for name, raw in fields.items()}
            yield potato.row_of(spelt, self._criterion_of, self._is_value)
        else:
            yield from rows_within(fields, self._criterion_of, self._ignored)

    def _rows_in(self, record: Record) -> list[LongRow]:
        """The rating of a row that names a criterion, or all ratings of a row with a field each."""
        plain = in_lower_case(record.fields)
        self._refuse_under_heads(plain)
        own = self._own_names(tuple(plain))
        fields = renamed(plain, own)
        reason = checked("reason", self._reason(fields))
        rater = _rater_in(fields)
        if "criterion" in fields:
            criterion = self._named(_text(fields, "criterion"))
            given = [(rater, criterion, fields.get("value"))]
            reason = reason and f"{criterion.key}: {reason}"
            self._ignored |= fields.keys() - _COLUMNS
        elif self._is_by_rater(fields):
            given = self._given_by_raters(record.fields, own)
            reason = ""
        else:
            given = [(rater, *one) for one in self._given_in(fields)]
        if not any(one for one, _, _ in given):
            self._refuse_several(plain, record.place)
        _, key = read_item(fields)
        if _plain(rater) in _OF_ALL:
            raise Flaw(
                "rater",
                FileReason.WRONG_SHAPE,
                sentence(
                    "“{rater}” is what becomes of ratings, and no rater: it would count as one more "
                    "person. Leave the row out, and bring it in with the items as gold.CRITERION; if "
                    "somebody rated so, write another key.",
                    rater=rater,
                ),
            )
        if rater and not RATER_KEY.fullmatch(rater):
            raise Flaw(
                "rater",
                FileReason.NOT_TEXT,
                sentence(
                    "A rater's key is made of Latin letters, digits, hyphens, underscores. Write a "
                    "pseudonym, such as rater-1."
                ),
            )
        repeat = _repeat(fields)
        rows = [
            LongRow(
                place=record.place,
                rater=one,
                repeat=repeat,
                item_key=key,
                value=value,
                reason=why and f"{criterion.key}: {why}",
            )
            for one, criterion, raw in given
            for value, why in [self._read(criterion, raw)]
        ]
        if reason:
            rows[0] = replace(rows[0], reason="\n".join(filter(None, (reason, rows[0].reason))))
        return rows

    def _reason(self, fields: Mapping[str, object]) -> str:
        """Its text, or a line for each criterion of {"empathy": "…", …}."""
        given = fields.get("reason")
        if not isinstance(given, Mapping):
            return _text(fields, "reason")
        return "\n".join(
            f"{criterion.key if (criterion := self._criteria.named(name)) else name}: {text}"
            for name in given
            if (text := _text(given, name))
        )

    def _read(self, criterion: Criterion, raw: object) -> tuple[Value, str]:
        """The value, and the reason that stands with it in an object of its own."""
        value = self._criteria.read(criterion, raw)
        inner, why, beside = value_within(raw)
        if not value.unscored or inner is raw:
            return value, ""
        self._ignored |= {f"{criterion.key}: {name}" for name in beside}
        return self._criteria.read(criterion, inner), checked("reason", _words(why))

    def _own_names_of(self, given: tuple[str, ...]) -> dict[str, str]:
        """What has another name here; nothing does that is called as a criterion is."""
        others = [name for name in given if not self._criterion_of(name)]
        is_wide = len(others) < len(given) or any(map(self._criterion_and_rater, others))
        names = RATING_FIELDS if is_wide else {**RATING_FIELDS, **LONG_FIELDS}
        return own_names(others, names, optional=OPTIONAL_RATING_FIELDS)

    def _is_value(self, name: str, raw: object) -> bool:
        criterion = self._criterion_of(name.strip().casefold())
        return criterion is not None and not self._criteria.read(criterion, raw).unscored

    def _is_by_rater(self, fields: Mapping[str, object]) -> bool:
        """Whether an item stands a row with a field CRITERION.RATER for each rating."""
        if "rater" in fields or any(map(self._criterion_of, fields)):
            return False
        return any(map(self._criterion_and_rater, fields))

    def _given_by_raters(
        self, fields: Mapping[str, object], own: Mapping[str, str]
    ) -> list[tuple[str, Criterion, object]]:
        """(rater, criterion, raw value); who left all fields of an item blank has not rated it."""
        given: dict[str, dict[str, tuple[str, Criterion, object]]] = {}
        for name, raw in fields.items():
            named = self._criterion_and_rater(name)
            if named is None:
                plain = name.strip().casefold()
                if own.get(plain, plain) not in _COLUMNS - {"reason"}:
                    self._ignored.add(plain)
                continue
            criterion, rater = named
            if (criterion.key, rater) not in self._raters:
                self._refuse_value(name, criterion, rater)
                self._raters.add((criterion.key, rater))
            of_rater = given.setdefault(rater, {})
            if criterion.key in of_rater:
                raise _named_twice(name)
            of_rater[criterion.key] = (rater, criterion, raw)
        return [
            one
            for of_rater in given.values()
            if any(self._is_given(criterion, raw) for _, criterion, raw in of_rater.values())
            for one in of_rater.values()
        ]

    def _is_given(self, criterion: Criterion, raw: object) -> bool:
        return self._read(criterion, raw)[0].unscored != str(answers.Reason.MISSING)

    def _criterion_and_rater(self, field: str) -> tuple[Criterion, str] | None:
        """What a field named CRITERION.RATER holds; CRITERION.mean is of nobody."""
        name, _, rater = self._spelt.get(field, field.strip()).rpartition(".")
        criterion = self._criterion_of(name.casefold())
        is_of_somebody = RATER_KEY.fullmatch(rater) and _plain(rater) not in _NOBODY
        return (criterion, rater) if criterion and is_of_somebody else None

    def _refuse_value(self, name: str, criterion: Criterion, rater: str) -> None:
        """CRITERION.VALUE says whether that value was chosen, and not who rated."""
        if not rater.isdecimal() and not self._criteria.read(criterion, rater).unscored:
            raise Flaw(
                name[:60],
                FileReason.WRONG_SHAPE,
                sentence(
                    "“{value}” is a value of “{criterion}”, and no rater. Write the value that was "
                    "chosen in one field, and not a field for each.",
                    value=rater[:60],
                    criterion=criterion.key,
                ),
            )

    def _under_heads(self, names: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        head = ""
        for name in names:
            if not _UNNAMED.fullmatch(name):
                head = name if self._criterion_of(name) or self._criterion_and_rater(name) else ""
            elif head:
                found[name] = head
        return found

    def _refuse_under_heads(self, fields: Mapping[str, object]) -> None:
        """A head that is set over several columns stands in the first of them alone."""
        for name, head in self._under.items():
            if number_in(fields[name]) is not None:
                raise Flaw(
                    name,
                    FileReason.WRONG_SHAPE,
                    sentence(
                        "The columns behind “{head}” have no names, as where one stands over several "
                        "columns, and hold numbers. Say what each is, such as {head} = {head}.R1 and "
                        "{name} = {head}.R2.",
                        head=head[:60],
                        name=name,
                    ),
                )

    def _refuse_several(self, fields: Mapping[str, object], place: FilePlace) -> None:
        """Where no field is the rater, none that may be may name several: they would be one."""
        for name, raw in fields.items():
            if (
                _may_be_raters(name)
                and not is_no_value(raw)
                and raw != self._who.setdefault(name, raw)
            ):
                raise CannotRead(
                    sentence(
                        "{place}: “{name}” is another than before, and no field is the rater. If it "
                        "says who rated, say so: {name} = rater; if not, call it otherwise: {name} = "
                        "other.{name}.",
                        place=place.words,
                        name=self._spelt.get(name, name)[:60],
                    )
                )

    def _called_otherwise(self, names: Sequence[str]) -> str:
        """How to say what columns are called that have the name of a criterion, and more."""
        meant: dict[str, list[str]] = {}
        for name in names:
            for mark in _BETWEEN_WORDS.finditer(name):
                before, behind = name[: mark.start()], name[mark.end() :]
                if criterion := self._criterion_of(before):
                    meant.setdefault(f"{before}{mark[0]}* = {criterion.key}.*", []).append(name)
                elif criterion := self._criterion_of(behind):
                    meant.setdefault(f"*{mark[0]}{behind} = {criterion.key}.*", []).append(name)
        said, found = next(iter(meant.items()), (_NAMED, []))
        if len(found) == 1:
            return f"{found[0]} = {said.rpartition(' = ')[2].removesuffix('.*')}"
        return _NAMED if "rater" in names else said

    def _given_in(self, fields: Mapping[str, object]) -> list[tuple[Criterion, object]]:
        """(criterion, raw value) of the fields that are named as criteria."""
        given: list[tuple[Criterion, object]] = []
        for name, raw in fields.items():
            criterion = self._criterion_of(name)
            if criterion is None:
                if (again := _AGAIN.fullmatch(name)) and again["name"] in fields:
                    criterion = self._criterion_of(again["name"])
                if criterion:
                    raise _named_twice(name)
                self._ignored |= {name} - _COLUMNS
            elif any(criterion is earlier for earlier, _ in given):
                raise _named_twice(name)
            else:
                given.append((criterion, raw))
        if not given:
            raise Flaw(
                "criterion",
                FileReason.MISSING,
                sentence(
                    "No field is called as a criterion of the rubric is: {criteria}. Say which hold "
                    "ratings: {example}.",
                    criteria=self._criteria.keys,
                    example=self._called_otherwise([*fields]),
                ),
            )
        return given

    def _criterion_of(self, field: str) -> Criterion | None:
        return None if field in _COLUMNS else self._criteria.named(field)

    def _named(self, name: str) -> Criterion:
        criterion = self._criteria.named(name)
        if criterion is None:
            raise self._stranger(FileReason.UNKNOWN_CRITERION if name else FileReason.MISSING)
        return criterion

    def _stranger(self, reason: FileReason) -> Flaw:
        return Flaw(
            "criterion",
            reason,
            sentence(
                "The rubric has only these criteria: {criteria}.", criteria=self._criteria.keys
            ),
        )


def _plain(rater: str) -> str:
    return rater.casefold().replace("-", "_")


@lru_cache(maxsize=1024)
def _may_be_raters(field: str) -> bool:
    return bool(_MAY_BE_RATERS.fullmatch(_SIGNS.sub("_", field)))


def _rater_in(fields: Mapping[str, object]) -> str:
    """The key of who rated; a word with a number is one key, and so is a number as pandas has it."""
    given = _text(fields, "rater")
    if match := _NUMBERED.fullmatch(given):
        return "-".join(filter(None, match.groups()))
    return given


def _repeat(fields: Mapping[str, object]) -> int:
    """The how-manieth time the rater rated the item; a blank is the first."""
    given = _text(fields, "repeat")
    if not given:
        return 1
    match = _WHOLE_NUMBER.fullmatch(given)
    if match is None or not 1 <= int(match[1]) <= MOST_REPEATS:
        raise Flaw(
            "repeat",
            FileReason.NOT_A_REPEAT,
            sentence(
                "A repeat is a whole number from 1 to {most}: 1 for a rater’s first answer to the "
                "item, 2 for the second. Number seeds or runs so.",
                most=MOST_REPEATS,
            ),
        )
    return int(match[1])


def _named_twice(field: str) -> Flaw:
    return Flaw(
        field[:60],
        FileReason.DUPLICATE,
        sentence("Two fields are named as this criterion. Keep one of the two."),
    )


def _text(fields: Mapping[str, object], name: str) -> str:
    return _words(fields.get(name))


def _words(raw: object) -> str:
    """The text of a cell, a line for each of several."""
    if isinstance(raw, Mapping):
        return "\n".join(f"{name}: {text}" for name, one in raw.items() if (text := _words(one)))
    if isinstance(raw, list):
        return "\n".join(filter(None, map(_words, raw)))
    return "" if is_no_value(raw) else str(raw).strip()
