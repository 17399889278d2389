"""What a release says of itself in words: the card that is read first, and the datasheet."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

CARD, DATASHEET = "README.md", "DATASHEET.md"


def cite(manifest: Mapping[str, Any]) -> str:
    study, rubric = manifest["study"], manifest["rubric"]
    return (
        f"{study['name']}, revision {manifest['revision']}, release {manifest['release']}, rubric "
        f"{rubric['key']} version {rubric['number']} (fingerprint {rubric['fingerprint'][:12]}), "
        f"exported with Concord {manifest['concord']}."
    )


def card(manifest: Mapping[str, Any], tables: Iterable[str]) -> str:
    """The card; its head is what Hugging Face's `datasets` reads to find the tables."""
    study, terms, recipient = manifest["study"], manifest["terms"], manifest["recipient"]
    return f"""\
{_head(manifest, tables)}
# {study["name"]}

Study `{study["key"]}`, revision {manifest["revision"]}, release `{manifest["release"]}`.
Exported with Concord {manifest["concord"]} for {recipient["name"]} <{recipient["email"]}>.
**Destroy it by {manifest["destroy_by"]}.** It holds what was granted to the recipient of the data
set `{manifest["data_set"]["key"]}`: {", ".join(manifest["data_set"]["levels"])}.

## Duties

You received these files under edition {terms["number"]} of the confidentiality agreement
(TERMS.md, SHA-256 {terms["sha256"]}), which you signed by name. In short:

- They are for you alone. Others who need them ask for access themselves.
- Do not try to find out who a rater or a person in a dialogue is.
- Send no dialogue to a service that the agreement does not name, and quote none word for word.
- Destroy the files when your access ends, or sign again before it does.
- If they have leaked, or you think so, tell the data steward at once. The rows of your copy stand
  in an order of their own, which names it; no value was altered for that.

## Files

| | |
|---|---|
| `ratings` | one row a rating, of people and judges alike |
| `ratings_wide` | one row a submission, one column a criterion or derived score |
| `derived` | one row a derived score of a submission |
| `grounds` | one row for what was said beside a value, if anything was: how sure, what else could be defended; with texts, which words and why |
| `gold` | the value that an item has for a criterion, and where it comes from; or that it is truly ambiguous, and how its raters answered |
| `items` | items without texts: keys, generators, hashes of their content |
| `texts` | dialogues and replies; only where they were asked for |
| `rounds` | closed rounds and the agreement that they reached, by which measure |
| `judges` | the judges: which LLM, asked how, with which settings |
| `judge_calls` | each request to a judge; with its raw answers where texts were asked for |
| `comparisons`, `preferences`, `pair_calls` | if judges compared replies: what was asked, which reply of each pair was put higher, and each request |
| `codebook.csv` | what every column and value means |
| `rubric.json` | the rubric in every edition that was used |
| `trust_policy.toml` | the rules that the study fixed for its trust cards, if it has |
| `{DATASHEET}`, `croissant.json` | the data set for people, and for programs |
| `CHART.md` | the reporting checklist, filled in with what Concord knows |
| `manifest.json`, `manifest.sig` | what is in here, signed with Ed25519 |
| `SHA256SUMS`, `verify.py` | `sha256sum --check SHA256SUMS`; `python verify.py PUBLIC_KEY` |

A table is the same as `.csv`, `.jsonl` and `.parquet`; what does not fit into cells has no CSV.

```python
pandas.read_parquet("ratings.parquet")
datasets.load_dataset("/the/path/of/this/folder", "ratings")  # it takes no "."
```

## Reading them

- People are pseudonyms (R-...). They stay the same in all exports of this study and differ from
  those of other studies. Judges have their own names.
- A value off the scale is kept as it was released and flagged in off_scale; leave it out unless
  you mean to keep it. A rating without a value says why in unscored: it is not a zero.
- Only current submissions are here. Ratings of a round that is still open are left out, the
  recipient's own too, because nobody may see them yet, nor which of them are repeats; and from an
  export for somebody who annotates, what could sway them: judges' answers, and what was answered
  before to items that are now rated again \
({manifest["filters"]["ratings_left_out_while_their_round_is_open"]} ratings in all).
- In CSV files, text that a spreadsheet would run as a formula begins with a quote ('), and a sign
  that turns the direction of text is told by its number. The other files have the text as it is.
- Rows stand in no order that means something; `position` in items is the study's.

## Cite

{cite(manifest)}
"""


def _head(manifest: Mapping[str, Any], tables: Iterable[str]) -> str:
    """YAML, of which JSON is a part."""
    configs = [
        {"config_name": name, "data_files": f"{name}.parquet", "default": name == "ratings"}
        for name in tables
    ]
    told = {
        "pretty_name": manifest["study"]["name"],
        "language": [manifest["study"]["language"]],
        "license": "other",
        "license_name": f"agreement-{manifest['terms']['number']}",
        "license_link": "TERMS.md",
        "configs": configs,
    }
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in told.items())
    return f"---\n{''.join(lines)}---\n"


def datasheet(manifest: Mapping[str, Any], raters: Mapping[str, int]) -> str:
    """The questions of Gebru et al. (2021), answered from what Concord knows."""
    study, counts, filters = manifest["study"], manifest["counts"], manifest["filters"]
    texts = "are included" if filters["texts"] else "are not included"
    return f"""\
# Datasheet of {study["name"]}, release {manifest["release"]}

After Gebru et al., Datasheets for Datasets (2021). What Concord does not know is for the study's
team to say.

## Motivation

Ratings of replies in dialogues about mental health, to see how well people agree, and LLM judges
with them. Rubric: {manifest["rubric"]["key"]}, edition {manifest["rubric"]["number"]}.

## Composition

- {counts["items"]} items, {counts["ratings"]} ratings, {counts["gold"]} gold values.
- {raters["human"]} people and {raters["judge"]} judges rated.
- Ratings without a value: {sum(counts["unscored"].values())}, each with its reason; off the scale: \
{counts["off_scale"]}.
- Left out because their round is open: {filters["ratings_left_out_while_their_round_is_open"]}.
- Texts {texts}. Dialogues may speak of suicide, self-harm, violence and abuse.
- Items of one dialogue are not independent: cluster by `dialogue`.

## Collection

People rated without seeing judges' answers or one another's; judges were asked with the settings
in `judges`. Disagreements were decided by adjudicators, which `gold` tells by its origin.

## Preprocessing

No label was altered, imputed or dropped. Superseded submissions are left out.
{_identifiers(manifest)}
## Uses

Research on agreement. Not for training a system that speaks with people in need without a review
of its own, and not for finding out who somebody is.

## Distribution

For one recipient, under edition {manifest["terms"]["number"]} of the agreement; destroy by \
{manifest["destroy_by"]}.

## Privacy

{_tested(manifest)}
People are keyed pseudonyms without attributes, times or comments. Somebody who knows how a person
labels can still recognise the pattern: with few raters no pseudonym hides that.
"""


def _identifiers(manifest: Mapping[str, Any]) -> str:
    """What became of identifiers in the texts, if there are texts."""
    told = manifest.get("identifiers")
    if not told:
        return ""
    n, kept = sum(told["found"].values()), sum(told["kept"].values())
    words = [f"Rules find {n} identifiers in texts; {kept} stay, the others are replaced by their"]
    words += ["kind, as `[phone]`."]
    if told["texts_left_out"]:
        words += [f"{told['texts_left_out']} texts are left out for what they hold."]
    if said := told["decided"]:
        words += [f"{said['by']} decided it: {said['reason']}"]
    return " ".join(words) + "\n"


def _tested(manifest: Mapping[str, Any]) -> str:
    """What the disclosure tests found, and who looked at it."""
    told = manifest["disclosure"]
    if not told["findings"]:
        return "Disclosure tests found nothing."
    checked = told["checked"]
    by = f" {checked['by']} looked at it: {checked['reason']}" if checked else ""
    return f"Disclosure tests found {len(told['findings'])} things (`manifest.json`).{by}"
