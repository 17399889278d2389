"""An export as files in a folder: what is in it, for whom, and the sums that prove it."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import Terms, User
from analytics.exports import codebook, croissant, identifying, rows, signing, writers
from analytics.exports.card import CARD, DATASHEET, card, cite, datasheet
from analytics.exports.checklist import CHECKLIST, ChecklistBasis, checklist
from analytics.exports.codebook import MEANINGS
from analytics.exports.columns import (
    FILES,
    GOLD_WITH_WAYS,
    GROUNDS,
    GROUNDS_QUOTED,
    JUDGE_CALLS_WITHOUT_ANSWERS,
    JUDGES_WITHOUT_PROMPTS,
    OF_PAIRS,
    PAIR_CALLS_WITHOUT_ANSWERS,
    RATINGS_WIDE,
    RATINGS_WIDE_END,
    RATINGS_WITH_WAYS,
    ExportColumn,
    names,
)
from analytics.exports.identifying import Redaction
from analytics.exports.jsonlines import as_json
from analytics.exports.order import order_for
from analytics.exports.rows import ExportTally
from analytics.exports.rulings import disclosure, in_manifest
from analytics.models import FixedPolicy
from annotation.actions.imports.copying import Watch
from annotation.models import Gold, Item, RubricVersion, Study, Submission
from annotation.rubric.schema import Rubric, Taxonomy
from annotation.rules.granting import DataLevel
from annotation.rules.visibility import Reader, reason_to_withhold_judges

FORMAT = "concord-export/2"
MANIFEST, SIGNATURE, SUMS = "manifest.json", "manifest.sig", "SHA256SUMS"
POLICY, TERMS, CROISSANT = "trust_policy.toml", "TERMS.md", "croissant.json"
VERIFIER = "verify.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """What is exported, and for whom."""

    study: Study
    recipient: User
    reader: Reader
    terms: Terms
    destroy_by: datetime
    with_texts: bool
    levels: frozenset[DataLevel]

    @property
    def order(self) -> str:
        """What the order of the rows is made from: it tells whose copy this is."""
        return order_for(self.study.release_key, self.recipient.pk)


def rows_in(order: ExportOrder) -> int:
    """How many rows `write` goes through, for those who watch."""
    study = order.study
    items = Item.objects.filter(study=study).count()
    submissions = Submission.objects.filter(study=study, is_current=True).count()
    gold = Gold.objects.filter(item__study=study, superseded_at=None).count()
    return submissions + gold + items * (2 if order.with_texts else 1)


def write(order: ExportOrder, folder: Path, *, watch: Watch = iter) -> dict[str, Any]:
    """Write every file of an export into an empty folder; the manifest. `watch` wraps the rows."""
    study = order.study
    rubric = study.rubric_version.content
    tables = _tables(order, rubric)
    tally = ExportTally()
    _write_ratings(order, rubric, tables, tally, folder, watch)
    ruling = (
        identifying.ruling_for(study, recipient=order.recipient.pk) if order.with_texts else None
    )
    redaction = Redaction(identifying.decided(ruling))
    counts = {
        name: writers.write_table(folder, name, tables[name], found)
        for name, found in _rows(order, watch, redaction).items()
    }
    policy = FixedPolicy.objects.filter(study=study).order_by("-pk").first()
    _write_words(order, rubric, tables, policy, folder)
    manifest = _manifest(order, tally, counts, policy)
    if order.with_texts:
        manifest["identifiers"] = identifying.in_manifest(redaction, ruling)
    # The name of a release is made of what is in it and for whom.
    manifest["files"] = writers.listing(folder)
    manifest["release"] = _release(manifest)
    writers.write_text(folder, CARD, card(manifest, tables))
    writers.write_text(folder, DATASHEET, datasheet(manifest, manifest["counts"]["raters"]))
    writers.write_text(folder, CHECKLIST, checklist(_for_checklist(order, manifest)))
    description = croissant.described(manifest, tables, MEANINGS, cite=cite(manifest))
    writers.write_json(folder, CROISSANT, description)
    manifest["files"] = writers.listing(folder)
    writers.write_json(folder, MANIFEST, manifest)
    signature = signing.sign((folder / MANIFEST).read_bytes())
    writers.write_text(folder, SIGNATURE, f"{signature.hex()}\n")
    writers.write_text(folder, SUMS, "".join(_sums(folder)))
    return manifest


def _tables(order: ExportOrder, rubric: Rubric) -> dict[str, Sequence[ExportColumn]]:
    """The columns of every table, the rubric's own among them."""
    wide = (*RATINGS_WIDE, *codebook.wide_columns(rubric), *RATINGS_WIDE_END)
    tables: dict[str, Sequence[ExportColumn]] = {**FILES, "ratings_wide": wide}
    if any(isinstance(one, Taxonomy) and one.is_graph for one in rubric.criteria):
        tables["ratings"], tables["gold"] = RATINGS_WITH_WAYS, GOLD_WITH_WAYS
    if not rows.has_grounds(order.study, with_texts=order.with_texts):
        del tables["grounds"]
    elif not order.with_texts:
        tables["grounds"] = GROUNDS
    elif DataLevel.COMMENTS not in order.levels:
        tables["grounds"] = GROUNDS_QUOTED
    if not rows.has_pairs(order.study):
        for name in OF_PAIRS:
            del tables[name]
    elif not order.with_texts:
        tables["pair_calls"] = PAIR_CALLS_WITHOUT_ANSWERS
    if not order.with_texts:
        del tables["texts"]
        tables["judge_calls"] = JUDGE_CALLS_WITHOUT_ANSWERS
        tables["judges"] = JUDGES_WITHOUT_PROMPTS
    return tables


def _rows(order: ExportOrder, watch: Watch, redaction: Redaction) -> dict[str, Iterable[rows.Row]]:
    """The rows of every table but those that are made of ratings."""
    study, reader, kept = order.study, order.reader, order.order
    found: dict[str, Iterable[rows.Row]] = {
        "gold": watch(rows.gold(study, reader, order=kept)),
        "items": watch(rows.items(study, reader, order=kept)),
        "rounds": rows.rounds(study),
        "judges": rows.judges(study, with_comparing=True),
        "judge_calls": rows.judge_calls(study, reader, order=kept),
    }
    if rows.has_grounds(study, with_texts=order.with_texts):
        found["grounds"] = rows.grounds(study, reader, order=kept, with_texts=order.with_texts)
    if rows.has_pairs(study):
        found |= {
            "comparisons": rows.comparisons(study, reader),
            "preferences": rows.preferences(study, reader, order=kept),
            "pair_calls": rows.pair_calls(study, reader, order=kept),
        }
    if not order.with_texts:
        return found
    if "pair_calls" in found:
        found["pair_calls"] = redaction.over(found["pair_calls"])
    if "grounds" in found:
        found["grounds"] = redaction.over_grounds(found["grounds"])
    return found | {
        "judge_calls": redaction.over(found["judge_calls"]),
        "texts": redaction.over(watch(rows.texts(study, reader, order=kept))),
    }


def _write_ratings(
    order: ExportOrder,
    rubric: Rubric,
    tables: Mapping[str, Sequence[ExportColumn]],
    tally: ExportTally,
    folder: Path,
    watch: Watch,
) -> None:
    with (
        writers.TableFiles(folder, "ratings", tables["ratings"]) as long_table,
        writers.TableFiles(folder, "ratings_wide", tables["ratings_wide"]) as wide_table,
        writers.TableFiles(folder, "derived", tables["derived"]) as derived_table,
    ):
        found = rows.ratings(order.study, rubric, order.reader, tally, order=order.order)
        for submission in watch(found):
            for rating in submission:
                tally.count(rating)
                long_table.write(rating)
            for score in rows.derived_of(submission, rubric):
                tally.count_derived(score)
                derived_table.write(score)
            wide_table.write(rows.wide(submission, rubric))


def _write_words(
    order: ExportOrder,
    rubric: Rubric,
    tables: Mapping[str, Sequence[ExportColumn]],
    policy: FixedPolicy | None,
    folder: Path,
) -> None:
    """What the tables mean, under which terms they are, and how they are checked."""
    with writers.new_file(folder, "codebook.csv") as file:
        table = writers.ExportTable(file, names(codebook.COLUMNS))
        for row in codebook.rows(tables, rubric):
            table.write(row)
    writers.write_json(folder, "rubric.json", _rubric(order.study))
    if policy:
        writers.write_text(folder, POLICY, policy.text)
    terms = order.terms
    told = (f"# {terms.title(one)}\n\n{terms.body(one)}\n" for one in terms.languages)
    writers.write_text(folder, TERMS, "\n".join(told))
    program = Path(__file__).with_name(VERIFIER)
    writers.write_text(folder, VERIFIER, program.read_text(encoding="utf-8"))


def _rubric(study: Study) -> dict[str, object]:
    """The rubric in force, and every edition that somebody rated under."""
    rated_under = Submission.objects.filter(study=study).values("rubric_version")
    used = RubricVersion.objects.filter(pk__in=rated_under)
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
) -> dict[str, Any]:
    version = order.study.rubric_version
    return {
        "format": FORMAT,
        "concord": settings.VERSION,
        "study": {
            "key": order.study.key,
            "name": order.study.name,
            "language": order.study.language,
        },
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
        "data_set": {"key": order.study.data_set.key, "levels": sorted(order.levels)},
        "terms": {"number": order.terms.number, "sha256": order.terms.sha256},
        "recipient": {"name": order.recipient.full_name, "email": order.recipient.email},
        "destroy_by": order.destroy_by.date().isoformat(),
        "signed_by": signing.public_key(),
        "disclosure": in_manifest(disclosure(order.study), recipient=order.recipient.pk),
        "filters": {
            "texts": order.with_texts,
            "raw_answers_of_judges": order.with_texts,
            "submissions": "current",
            "ratings_left_out_while_their_round_is_open": tally.blinded,
            "judges": reason_to_withhold_judges(order.reader) is None,
        },
        "counts": counts
        | {
            "ratings": tally.ratings,
            "off_scale": tally.off_scale,
            "unscored": dict(sorted(tally.unscored.items())),
            "derived": dict(sorted(tally.derived.items())),
            "derived_without_a_part": dict(sorted(tally.incomplete.items())),
            "raters": {kind: len(found) for kind, found in sorted(tally.raters.items())},
        },
    }


def _for_checklist(order: ExportOrder, manifest: Mapping[str, Any]) -> ChecklistBasis:
    rubric, counts = manifest["rubric"], manifest["counts"]
    generators = Item.objects.filter(study=order.study).values_list("generator", flat=True)
    return ChecklistBasis(
        study=manifest["study"]["name"],
        rubric=f"{rubric['key']} edition {rubric['number']} (`rubric.json`)",
        revision=manifest["revision"],
        concord=manifest["concord"],
        n_items=counts["items"],
        n_people=counts["raters"]["human"],
        judges=list(rows.judges(order.study)),
        generators=list(generators.order_by("generator").distinct()),
        with_texts=order.with_texts,
        settled=[
            f"round {row['round']}: {row['fleiss_kappa']:.2f}"
            for row in rows.rounds(order.study)
            if row["fleiss_kappa"] is not None
        ],
        files={
            "methods": "The report of the study tells the methods",
            "figures": "In the report of the study; the ratings behind it are here.",
            "data": "This release, under the agreement in TERMS.md.",
        },
    )


def _release(manifest: Mapping[str, Any]) -> str:
    """A name that nothing else has: of these files, for this recipient."""
    digest = hashlib.sha256(as_json(manifest).encode()).digest()
    return "CR-" + base64.b32encode(digest).decode("ascii")[:16]


def _sums(folder: Path) -> Iterator[str]:
    """Lines for `sha256sum --check`."""
    for path in sorted(folder.iterdir()):
        if path.name != SUMS:
            yield f"{writers.sha256_of(path)}  {path.name}\n"
