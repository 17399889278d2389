"""Which static files are served, and how: each under a name that changes with what is in it."""

from collections.abc import Iterable, Iterator

from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

NO_PAGE_ASKS_FOR = (
    "rest_framework",  # its pages for browsers
    *("django-htmx.js", "ext", "htmax-*", "htmx-2.js", "htmx-4*"),
)


class OfPackages(AppDirectoriesFinder):
    """Packages bring much that no page of ours asks for; to compress it takes longer than all the
    rest of a first start."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        yield from super().list([*(ignore_patterns or ()), *NO_PAGE_ASKS_FOR])


class NamedByContent(CompressedManifestStaticFilesStorage):
    """Our own scripts that import one another name those files too; packages keep theirs."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],  # type: ignore[attr-defined]  # Django's, and not in its stubs
    )
