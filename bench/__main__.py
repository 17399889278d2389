"""Measure: `python -m bench` runs every module here that has a `run`, or those that are named.

What needs a database gets a scratch one, which is dropped in the end. Machines differ and are
shared: quote the ratios, which are taken in one run.
"""

import argparse
import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import django
from django.db import connection

from config.celery import app as celery_app


def modules() -> list[str]:
    """The measurements, by name: the modules of this package that define `run`."""
    found = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    return [name for name in found if hasattr(importlib.import_module(f"bench.{name}"), "run")]


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    django.setup()
    celery_app.set_default()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(modules())}")
    names = parser.parse_args().names or modules()
    strangers = set(names) - set(modules())
    if strangers:
        print(f"No measurement is called {', '.join(sorted(strangers))}.", file=sys.stderr)
        return 1
    if len(names) > 1:
        # Each in a process of its own: what one has read and kept would show in the next.
        runs = [subprocess.run([sys.executable, "-m", "bench", name]) for name in names]
        return max(run.returncode for run in runs)
    (name,) = names
    print(f"\n{name}", flush=True)
    measurement = importlib.import_module(f"bench.{name}")
    with scratch_database() if getattr(measurement, "NEEDS_DATABASE", True) else nullcontext():
        for figure in measurement.run():
            print(f"  {figure.name:<60} {figure.value}", flush=True)
    return 0


@contextmanager
def scratch_database() -> Iterator[None]:
    usual = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(usual, verbosity=0)


if __name__ == "__main__":
    sys.exit(main())
