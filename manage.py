#!/usr/bin/env python
"""Concord's command line: `python manage.py help` lists what it can do."""

import os
import sys

from django.core.management import BaseCommand, execute_from_command_line

from config.celery import app as celery_app

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    celery_app.set_default()  # or commands queue their work nowhere
    BaseCommand.requires_system_checks = []  # they load every view; `make check` has them run
    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
