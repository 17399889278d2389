"""Which static files are served, and how: each under a name that changes with what is in it."""

from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.storage import CompressedManifestStaticFilesStorage


class WhatPagesAskFor(StaticFilesConfig):
    """Packages bring much that no page of ours asks for; to compress it takes longer than all the
    rest of a first start."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "rest_framework",  # its pages for browsers
        *("django-htmx.js", "ext", "htmax-*", "htmx-2.js", "htmx-4*"),
    ]


class NamedByContent(CompressedManifestStaticFilesStorage):
    """Our own scripts that import one another name those files too; packages keep theirs."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],  # type: ignore[attr-defined]  # Django's, and not in its stubs
    )
