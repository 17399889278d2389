"""A release described in Croissant 1.1, by which data sets are found and loaded.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analytics.exports.columns import ExportColumn, Holds

# As the specification has it, word for word.
_CONTEXT = json.loads(Path(__file__).with_name("croissant.context.json").read_text("utf-8"))
_TYPES = {
    Holds.TEXT: "sc:Text",
    Holds.INTEGER: "sc:Integer",
    Holds.NUMBER: "sc:Float",
    Holds.TRUTH: "sc:Boolean",
    Holds.LIST: "sc:Text",
    Holds.RECORD: "sc:Text",
}
_FORMATS = {".csv": "text/csv", ".jsonl": "application/jsonlines"}
_PARQUET = "application/x-parquet"


def described(
    manifest: Mapping[str, Any],
    tables: Mapping[str, Sequence[ExportColumn]],
    meanings: Mapping[str, str],
    *,
    cite: str,
) -> dict[str, object]:
    """The description; `tables` are the columns of each Parquet file."""
    study = manifest["study"]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "@id": manifest["release"],
        "name": study["name"],
        "description": (
            f"Ratings of dialogues by people and LLM judges in the study {study['name']}, under "
            f"the rubric {manifest['rubric']['key']} edition {manifest['rubric']['number']}."
        ),
        "identifier": manifest["release"],
        "url": f"urn:concord:{manifest['release']}",
        "version": f"{manifest['revision']}.0.0",
        "inLanguage": study["language"],
        "license": f"urn:sha256:{manifest['terms']['sha256']}",
        "conditionsOfAccess": (
            "For the recipient alone, under the agreement in TERMS.md, until "
            f"{manifest['destroy_by']}."
        ),
        "citeAs": cite,
        "creator": {"@type": "sc:Organization", "name": study["name"]},
        "isLiveDataset": False,
        "rai:dataCollection": "Ratings of dialogues by trained people and by LLM judges.",
        "rai:dataAnnotationProtocol": "The rubric is in rubric.json, the codebook in codebook.csv.",
        "rai:personalSensitiveInformation": ["Conversations about mental health; see DATASHEET.md"],
        "rai:dataUseCases": "Agreement of people, and of LLM judges with people.",
        "distribution": [_file(name, told) for name, told in sorted(manifest["files"].items())],
        "recordSet": [_records(name, columns, meanings) for name, columns in tables.items()],
    }


def _file(name: str, told: Mapping[str, Any]) -> dict[str, object]:
    ending = name[name.rindex(".") :]
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{told['bytes']} B",
        "encodingFormat": _PARQUET if ending == ".parquet" else _FORMATS.get(ending, "text/plain"),
        "sha256": told["sha256"],
    }


def _records(
    table: str, columns: Sequence[ExportColumn], meanings: Mapping[str, str]
) -> dict[str, object]:
    return {
        "@type": "cr:RecordSet",
        "@id": table,
        "name": table,
        "field": [_field(table, column, meanings) for column in columns if column.holds in _TYPES],
    }


def _field(table: str, column: ExportColumn, meanings: Mapping[str, str]) -> dict[str, object]:
    told: dict[str, object] = {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "description": meanings.get(column.name, column.name),
        "dataType": _TYPES[column.holds],
        "source": {
            "fileObject": {"@id": f"{table}.parquet"},
            "extract": {"column": column.name},
        },
    }
    if column.holds is Holds.LIST:
        told |= {"isArray": True, "arrayShape": "-1"}
    return told
