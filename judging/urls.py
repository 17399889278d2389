"""Where the pages of this app are."""

from django.urls import URLPattern, URLResolver, include, path

from judging.api import calls
from judging.api import endpoints as api_endpoints
from judging.api import generating as replies
from judging.api import holding_out as api_hold_out
from judging.api import prompts as api_prompts
from judging.api import views as api
from judging.views import (
    answers,
    endpoints,
    generating,
    holding_out,
    judges,
    prompts,
    rubric_editor,
    rubrics,
    runs,
)

run_patterns = [
    path("", runs.one_run, name="judge_run"),
    path("progress/", runs.progress, name="judge_run_progress"),
    path("pause/", runs.pause, name="judge_run_pause"),
    path("resume/", runs.resume, name="judge_run_resume"),
    path("pace/", runs.retune, name="judge_run_retune"),
    path("again/", runs.retry_failed, name="judge_run_retry"),
    path("end/", runs.finish, name="judge_run_finish"),
    path("batches/cancel/", runs.cancel_batches, name="judge_run_cancel_batches"),
    path("calls/", runs.calls, name="judge_calls"),
    path("calls/to-read/", runs.next_to_read, name="judge_next_to_read"),
    path("calls/<int:call_id>/", runs.one_call, name="judge_call"),
    path("calls/<int:call_id>/reading/", runs.assign_reading, name="judge_reading"),
]

prompt_patterns = [
    path("", prompts.prompts, name="judge_prompts"),
    path("write/", prompts.write, name="judge_prompt_write"),
    path("preview/", prompts.preview, name="judge_prompt_preview"),
    path("<slug:name>/<int:number>/", prompts.one_version, name="judge_prompt"),
    path("<slug:name>/<int:number>/prompt.toml", prompts.download, name="judge_prompt_file"),
]

generation_patterns = [
    path("", generating.generations, name="generations"),
    path("write/", generating.write, name="generation_write"),
    path("<int:generation_id>/", generating.one_generation, name="generation"),
    path("<int:generation_id>/progress/", generating.progress, name="generation_progress"),
    path("<int:generation_id>/end/", generating.end, name="generation_end"),
    path("<int:generation_id>/take-in/", generating.take_in, name="generation_take_in"),
]

hold_out_patterns = [
    path("", holding_out.hold_out, name="hold_out"),
    path("draw/", holding_out.draw, name="hold_out_draw"),
    path("end/", holding_out.end, name="hold_out_end"),
]

judge_patterns: list[URLPattern | URLResolver] = [
    path("", judges.judges, name="judges"),
    path("answers/", answers.answers, name="judge_answers"),
    path("start/", judges.start, name="judge_start"),
    path("start/try/", judges.try_out, name="judge_try"),
    path("start/estimate/", judges.estimate, name="judge_estimate"),
    path("hold-out/", include(hold_out_patterns)),
    path("prompts/", include(prompt_patterns)),
    path("replies/", include(generation_patterns)),
    path("<int:run_id>/", include(run_patterns)),
]

endpoint_patterns = [
    path("", endpoints.every, name="endpoints"),
    path("add/", endpoints.add, name="endpoint_add"),
    path("<int:number>/", endpoints.one, name="endpoint"),
    path("<int:number>/price/", endpoints.price, name="endpoint_price"),
    path("<int:number>/retire/", endpoints.retire, name="endpoint_retire"),
]

rubric_patterns = [
    path("", rubrics.rubric, name="rubric"),
    path("rubric.toml", rubrics.download, name="rubric_file"),
    path("write/", rubric_editor.write, name="rubric_write"),
    path("write/draft/", rubric_editor.keep_draft, name="rubric_draft"),
    path("write/rubric.toml", rubric_editor.download, name="rubric_draft_file"),
    path("write/begin/", rubric_editor.begin, name="rubric_begin"),
    path("write/check/", rubric_editor.check, name="rubric_check"),
    path("write/try/", rubric_editor.try_out, name="rubric_try"),
    path("write/item/", rubric_editor.show_item, name="rubric_try_item"),
]

api_patterns = [
    path("", api.RunsView.as_view(), name="api_runs"),
    path("estimate/", api.RunEstimated.as_view(), name="api_run_estimate"),
    path("try/", api.JudgeTried.as_view(), name="api_judge_try"),
    path("start/", api.RunStarted.as_view(), name="api_run_start"),
    path("answers/", calls.AnswersFound.as_view(), name="api_answers"),
    path("<int:run_id>/", api.RunView.as_view(), name="api_run"),
    path("<int:run_id>/pace/", api.RunPaced.as_view(), name="api_run_pace"),
    path("<int:run_id>/calls/", calls.Calls.as_view(), name="api_calls"),
    path("<int:run_id>/calls/<int:call_id>/", calls.OneCall.as_view(), name="api_call"),
    path(
        "<int:run_id>/calls/<int:call_id>/reading/",
        calls.ReadByHand.as_view(),
        name="api_call_reading",
    ),
    path("<int:run_id>/<slug:move>/", api.RunMoved.as_view(), name="api_run_move"),
]

api_endpoint_patterns = [
    path("", api_endpoints.Endpoints.as_view(), name="api_endpoints"),
    path("add/", api_endpoints.EndpointAdded.as_view(), name="api_endpoint_add"),
    path("<int:number>/price/", api_endpoints.EndpointPriced.as_view(), name="api_endpoint_price"),
    path(
        "<int:number>/retire/", api_endpoints.EndpointRetired.as_view(), name="api_endpoint_retire"
    ),
]

api_prompt_patterns = [
    path("", api_prompts.Prompts.as_view(), name="api_prompts"),
    path("write/", api_prompts.PromptWritten.as_view(), name="api_prompt_write"),
    path("preview/", api_prompts.PromptPreviewed.as_view(), name="api_prompt_preview"),
    path("<slug:name>/<int:number>/", api_prompts.PromptView.as_view(), name="api_prompt"),
]

api_hold_out_patterns = [
    path("", api_hold_out.HoldOutView.as_view(), name="api_hold_out"),
    path("draw/", api_hold_out.HoldOutDrawn.as_view(), name="api_hold_out_draw"),
    path("end/", api_hold_out.HoldOutEnded.as_view(), name="api_hold_out_end"),
]

api_generation_patterns = [
    path("", replies.Generations.as_view(), name="api_generations"),
    path("write/", replies.GenerationStarted.as_view(), name="api_generation_write"),
    path("<int:generation_id>/", replies.GenerationView.as_view(), name="api_generation"),
    path("<int:generation_id>/end/", replies.GenerationEnded.as_view(), name="api_generation_end"),
    path(
        "<int:generation_id>/take-in/",
        replies.GenerationTakenIn.as_view(),
        name="api_generation_take_in",
    ),
]

urlpatterns = [
    path("endpoints/", include(endpoint_patterns)),
    path("studies/<slug:key>/judges/", include(judge_patterns)),
    path("studies/<slug:key>/rubric/", include(rubric_patterns)),
    path("api/v1/studies/<slug:key>/runs/", include(api_patterns)),
    path("api/v1/endpoints/", include(api_endpoint_patterns)),
    path("api/v1/studies/<slug:key>/prompts/", include(api_prompt_patterns)),
    path("api/v1/studies/<slug:key>/hold-out/", include(api_hold_out_patterns)),
    path("api/v1/studies/<slug:key>/replies/", include(api_generation_patterns)),
]
