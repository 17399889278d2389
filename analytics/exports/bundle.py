"""An export as files in a folder: what is in it, for whom, and the sums that prove it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import Terms, User
from analytics.exports import rows, writers
from analytics.exports.columns import (
    GOLD,
    ITEMS,
    JUDGE_CALLS,
    JUDGES,
    RATINGS,
    RATINGS_WIDE,
    RATINGS_WIDE_END,
    ROUNDS,
    TEXTS,
    names,
)
from analytics.exports.rows import ExportTally
from analytics.models import FixedPolicy
from annotation.actions.imports.copying import Watch
from annotation.models import Gold, Item, RubricVersion, Study, Submission
from annotation.rubric.schema import Rubric
from annotation.rules.visibility import Reader, reason_to_withhold_judges

FORMAT = "concord-export/1"
MANIFEST, SUMS, README = "manifest.json", "SHA256SUMS", "README.txt"
POLICY = "trust_policy.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """What is exported, and for whom."""

    study: Study
    recipient: User
    reader: Reader
    terms: Terms
    with_texts: bool


def rows_in(order: ExportOrder) -> int:
    """How many rows `write` goes through, for those who watch."""
    study = order.study
    items = Item.objects.filter(study=study).count()
    submissions = Submission.objects.filter(study=study, is_current=True).count()
    gold = Gold.objects.filter(item__study=study, superseded_at=None).count()
    return submissions + gold + items * (2 if order.with_texts else 1)


def write(order: ExportOrder, folder: Path, *, watch: Watch = iter) -> dict[str, object]:
    """Write every file of an export into an empty folder; the manifest. `watch` wraps the rows."""
    study = order.study
    rubric = study.rubric_version.content
    tally = ExportTally()
    _write_ratings(order, rubric, tally, folder, watch)
    counts = {
        "gold": writers.write_table(
            folder, "gold.csv", names(GOLD), watch(rows.gold(study, order.reader))
        ),
        "items": writers.write_table(folder, "items.csv", names(ITEMS), watch(rows.items(study))),
        "rounds": writers.write_table(folder, "rounds.csv", names(ROUNDS), rows.rounds(study)),
        "judges": writers.write_lines(folder, "judges.jsonl", names(JUDGES), rows.judges(study)),
        "judge_calls": writers.write_lines(
            folder, "judge_calls.jsonl", names(JUDGE_CALLS), rows.judge_calls(study, order.reader)
        ),
    }
    if order.with_texts:
        counts["texts"] = writers.write_lines(
            folder, "texts.jsonl", names(TEXTS), watch(rows.texts(study))
        )
    writers.write_json(folder, "rubric.json", _rubric(study))
    policy = FixedPolicy.objects.filter(study=study).order_by("-pk").first()
    if policy:
        writers.write_text(folder, POLICY, policy.text)
    manifest = _manifest(order, tally, counts, policy)
    writers.write_text(folder, README, _readme(manifest))
    manifest["files"] = {
        path.name: {"bytes": path.stat().st_size, "sha256": writers.sha256_of(path)}
        for path in sorted(folder.iterdir())
    }
    writers.write_json(folder, MANIFEST, manifest)
    writers.write_text(folder, SUMS, "".join(_sums(folder)))
    return manifest


def _write_ratings(
    order: ExportOrder, rubric: Rubric, tally: ExportTally, folder: Path, watch: Watch
) -> None:
    criteria = [criterion.key for criterion in rubric.criteria]
    columns = names(RATINGS)
    with (
        writers.new_file(folder, "ratings.csv") as long_file,
        writers.new_file(folder, "ratings_wide.csv") as wide_file,
        writers.new_file(folder, "ratings.jsonl") as lines,
    ):
        long_table = writers.ExportTable(long_file, columns)
        wide_table = writers.ExportTable(
            wide_file, [*names(RATINGS_WIDE), *criteria, *names(RATINGS_WIDE_END)]
        )
        for submission in watch(rows.ratings(order.study, rubric, order.reader, tally)):
            for rating in submission:
                tally.count(rating)
                long_table.write(rating)
                lines.write(writers.json_line(rating, columns))
            wide_table.write(rows.wide(submission, rubric))


def _rubric(study: Study) -> dict[str, object]:
    """The rubric in force, and every edition that somebody rated under."""
    used = RubricVersion.objects.filter(submission__study=study).distinct()
    editions = {one.number: one for one in [*used, study.rubric_version]}
    return {
        "key": study.rubric_version.rubric.key,
        "in_force": study.rubric_version.number,
        "versions": [
            {
                "number": number,
                "fingerprint": edition.fingerprint,
                "definition": edition.definition,
            }
            for number, edition in sorted(editions.items())
        ],
    }


def _manifest(
    order: ExportOrder, tally: ExportTally, counts: dict[str, int], policy: FixedPolicy | None
) -> dict[str, object]:
    version = order.study.rubric_version
    return {
        "format": FORMAT,
        "concord": settings.VERSION,
        "study": {"key": order.study.key, "name": order.study.name},
        "revision": order.study.revision,
        "rubric": {
            "key": version.rubric.key,
            "number": version.number,
            "fingerprint": version.fingerprint,
        },
        "trust_policy": policy
        and {
            "key": policy.key,
            "sha256": policy.sha256,
            "fixed_at": policy.fixed_at.isoformat(),
            "ratings_by_judges_then": policy.n_judged,
        },
        "terms": {"number": order.terms.number, "sha256": order.terms.sha256},
        "recipient": {"name": order.recipient.full_name, "email": order.recipient.email},
        "filters": {
            "texts": order.with_texts,
            "submissions": "current",
            "ratings_left_out_while_their_round_is_open": tally.blinded,
            "judges": reason_to_withhold_judges(order.reader) is None,
        },
        "counts": counts
        | {
            "ratings": tally.ratings,
            "off_scale": tally.off_scale,
            "unscored": dict(sorted(tally.unscored.items())),
            "raters": {kind: len(found) for kind, found in sorted(tally.raters.items())},
        },
    }


def _sums(folder: Path) -> Iterator[str]:
    """Lines for `sha256sum --check`."""
    for path in sorted(folder.iterdir()):
        if path.name != SUMS:
            yield f"{writers.sha256_of(path)}  {path.name}\n"


def _readme(manifest: dict[str, Any]) -> str:
    study, rubric, terms = manifest["study"], manifest["rubric"], manifest["terms"]
    recipient = manifest["recipient"]
    return f"""\
{study["name"]} ({study["key"]}), revision {manifest["revision"]}
Exported with Concord {manifest["concord"]} for {recipient["name"]} <{recipient["email"]}>

DUTIES
You received these files under edition {terms["number"]} of the confidentiality agreement
(SHA-256 {terms["sha256"]}), which you signed by name. In short:
- They are for you alone. Others who need them ask for access themselves.
- Do not try to find out who a rater or a person in a dialogue is.
- Send no dialogue to a service that the agreement does not name, and quote none word for word.
- Destroy the files when your access ends, or sign again before it does.
- If they have leaked, or you think so, tell the data steward at once.

FILES
ratings.csv, ratings.jsonl  one row a rating, of people and judges alike
ratings_wide.csv            one row a submission, one column a criterion
gold.csv                    the value that an item has for a criterion, and where it comes from
items.csv                   items without texts: keys, generators, hashes of their content
texts.jsonl                 dialogues and replies; only where they were asked for
rounds.csv                  closed rounds and the Fleiss kappa they reached
judges.jsonl                the judges: which LLM, asked how, with which settings
judge_calls.jsonl           each request to a judge, with its raw answers, which may quote a
                            dialogue
rubric.json                 the rubric in every edition that was used
trust_policy.toml           the rules that the study fixed for its trust cards, if it has
manifest.json, SHA256SUMS   what is in here; check with: sha256sum --check SHA256SUMS

READING THEM
- People are pseudonyms (R-...). They stay the same in all exports of this study and differ from
  those of other studies. Judges have their own names.
- A value off the scale is kept as it was released and flagged in off_scale; leave it out unless
  you mean to keep it. A rating without a value says why in unscored: it is not a zero.
- Only current submissions are here. Ratings of a round that is still open are left out, the
  recipient's own too, because nobody may see them yet, nor which of them are repeats; and from an
  export for somebody who annotates, what could sway them: judges' answers, and what was answered
  before to items that are now rated again \
({manifest["filters"]["ratings_left_out_while_their_round_is_open"]} ratings in all).
- In CSV files, text that a spreadsheet would run as a formula begins with a quote ('). The JSON
  files have the text as it is.

CITE
{study["name"]}, revision {manifest["revision"]}, rubric {rubric["key"]} version \
{rubric["number"]} (fingerprint {rubric["fingerprint"][:12]}), exported with Concord \
{manifest["concord"]}.
"""
