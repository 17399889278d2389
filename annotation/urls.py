"""Where the pages of this app are."""

from django.urls import include, path

from annotation.api import views as api
from annotation.views import (
    adjudicating,
    home,
    importing,
    jobs,
    my_work,
    quarantine,
    rating,
    rounds,
    studies,
    teams,
)

study_patterns = [
    path("", studies.study, name="study"),
    path("rate/", rating.rate, name="rate"),
    path("rate/later/", rating.defer, name="rate_defer"),
    path("my-work/", my_work.my_work, name="my_work"),
    path("my-work/<int:assignment_id>/", my_work.my_item, name="my_work_item"),
    path("rounds/", rounds.all_rounds, name="rounds"),
    path("rounds/open/", rounds.open_round, name="round_open"),
    path("rounds/<int:number>/", rounds.one_round, name="round"),
    path("rounds/<int:number>/progress/", rounds.round_progress, name="round_progress"),
    path("rounds/<int:number>/close/", rounds.close_round, name="round_close"),
    path("rounds/<int:number>/reassign/", rounds.reassign, name="round_reassign"),
    path("adjudicate/", adjudicating.queue, name="adjudicate"),
    path("adjudicate/<int:round_item_id>/", adjudicating.case, name="adjudicate_case"),
    path("items/import/", importing.items, name="import_items"),
    path("ratings/import/", importing.ratings, name="import_ratings"),
    path("quarantine/", quarantine.quarantine, name="quarantine"),
    path("quarantine/<int:quarantine_id>/lift/", quarantine.lift, name="quarantine_lift"),
    path("quarantine/import/", importing.quarantine, name="import_quarantine"),
    path("files/<int:job_id>/", jobs.file_job, name="file_job"),
    path("files/<int:job_id>/progress/", jobs.progress, name="file_job_progress"),
    path("files/<int:job_id>/cancel/", jobs.cancel, name="file_job_cancel"),
    path("files/<int:job_id>/import/", jobs.bring_in, name="file_job_import"),
    path("team/", teams.team, name="team"),
]

api_patterns = [
    path("studies/", api.Studies.as_view(), name="api_studies"),
    path("studies/<slug:key>/rubric/", api.RubricView.as_view(), name="api_rubric"),
    path("studies/<slug:key>/work/next/", api.NextWork.as_view(), name="api_next_work"),
    path(
        "assignments/<int:assignment_id>/submission/",
        api.SubmissionView.as_view(),
        name="api_submission",
    ),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("new-study/", studies.new_study, name="new_study"),
    path("studies/<slug:key>/", include(study_patterns)),
    path("api/v1/", include(api_patterns)),
]
