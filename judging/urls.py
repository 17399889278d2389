"""Where the pages of this app are."""

from django.urls import URLPattern, URLResolver, include, path

from judging.views import judges, runs

run_patterns = [
    path("", runs.one_run, name="judge_run"),
    path("progress/", runs.progress, name="judge_run_progress"),
    path("pause/", runs.pause, name="judge_run_pause"),
    path("resume/", runs.resume, name="judge_run_resume"),
    path("end/", runs.finish, name="judge_run_finish"),
    path("calls/", runs.calls, name="judge_calls"),
    path("calls/<int:call_id>/", runs.one_call, name="judge_call"),
]

judge_patterns: list[URLPattern | URLResolver] = [
    path("", judges.judges, name="judges"),
    path("start/", judges.start, name="judge_start"),
    path("start/try/", judges.try_out, name="judge_try"),
    path("start/estimate/", judges.estimate, name="judge_estimate"),
    path("<int:run_id>/", include(run_patterns)),
]

urlpatterns = [path("studies/<slug:key>/judges/", include(judge_patterns))]
