"""A written report is kept file by file, and as the two zips that are handed out."""

import io
import secrets
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

PIECE = 1 << 20


def shelve(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    pieces = apps.get_model("annotation", "FilePiece").objects
    writeups: Any = apps.get_model("analytics", "Writeup").objects
    for writeup in writeups.iterator(chunk_size=1):
        writeup.folder = secrets.token_urlsafe(24)
        for name, content in kept_of(bytes(writeup.archive)):
            for number in range(max(1, -(-len(content) // PIECE))):
                pieces.create(
                    folder=f"{writeup.folder}/{name}",
                    number=number,
                    content=content[number * PIECE : (number + 1) * PIECE],
                )
        writeup.save(update_fields=["folder"])


def kept_of(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """(name, content) of each file in an archive, of the archive, and of it without the ratings."""
    without_data = io.BytesIO()
    with ZipFile(io.BytesIO(archive)) as whole, ZipFile(without_data, "w") as part:
        for entry in whole.infolist():
            content = whole.read(entry)
            yield entry.filename, content
            if not entry.filename.startswith("data/"):
                part.writestr(entry, content, compresslevel=6)
    yield "report.zip", archive
    yield "report-without-ratings.zip", without_data.getvalue()


class Migration(migrations.Migration):
    dependencies = [
        ("analytics", "0017_products"),
        ("annotation", "0047_pieces_stay"),
    ]

    operations = [
        migrations.AddField(
            model_name="writeup",
            name="folder",
            field=models.CharField(default="", max_length=100),
            preserve_default=False,
        ),
        migrations.RunPython(shelve),
        migrations.RemoveField(model_name="writeup", name="archive"),
    ]
