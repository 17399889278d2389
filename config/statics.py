"""How static files are served: each under a name that changes with what is in it."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class NamedByContent(CompressedManifestStaticFilesStorage):
    """Our own scripts that import one another name those files too; packages keep theirs."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],  # type: ignore[attr-defined]  # Django's, and not in its stubs
    )
