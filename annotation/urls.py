"""Where the pages of this app are."""

from django.urls import URLPattern, URLResolver, include, path

from annotation.api import adjudicating as cases
from annotation.api import agreeing, steering, working
from annotation.api import discussing as talk
from annotation.api import governing as grants
from annotation.api import importing as files
from annotation.api import rubrics as editions
from annotation.api import views as api
from annotation.views import (
    adjudicating,
    caring,
    desk,
    discussing,
    governing,
    home,
    importing,
    items,
    jobs,
    keys,
    letters,
    my_work,
    protocol,
    qualifying,
    quarantine,
    rating,
    rounds,
    rubric_changes,
    studies,
    teams,
)

study_patterns = [
    path("", studies.study, name="study"),
    path("rate/", rating.rate, name="rate"),
    path("rate/later/", rating.defer, name="rate_defer"),
    path("rate/not-for-me/", rating.pass_on, name="rate_pass_on"),
    path("rate/ahead/", rating.ahead, name="rate_ahead"),
    path("draft/", desk.keep_draft, name="draft"),
    path("my-work/", my_work.my_work, name="my_work"),
    path("my-work/<int:assignment_id>/", my_work.my_item, name="my_work_item"),
    path("my-work/<int:assignment_id>/dispute/", my_work.dispute, name="my_work_dispute"),
    path("rounds/", rounds.all_rounds, name="rounds"),
    path("rounds/open/", rounds.open_round, name="round_open"),
    path("rounds/<int:number>/", rounds.one_round, name="round"),
    path("rounds/<int:number>/progress/", rounds.round_progress, name="round_progress"),
    path("rounds/<int:number>/close/", rounds.close_round, name="round_close"),
    path("rounds/<int:number>/reassign/", rounds.reassign, name="round_reassign"),
    path("rounds/<int:number>/join/", rounds.let_join, name="round_join"),
    path("rounds/<int:number>/cancel/", rounds.cancel_round, name="round_cancel"),
    path("rounds/<int:number>/due/", rounds.set_due, name="round_due"),
    path("rounds/<int:number>/end-rating/", protocol.end_rating, name="round_end_rating"),
    path("rounds/<int:number>/re-review/", protocol.open_re_review, name="round_re_review"),
    path("protocol/", protocol.protocol, name="protocol"),
    path("qualification/", qualifying.qualification, name="qualification"),
    path("discuss/", discussing.discuss, name="discuss"),
    path("discuss/<int:round_item_id>/", discussing.discussion, name="discussion"),
    path("discuss/<int:round_item_id>/say/", discussing.remark, name="discussion_remark"),
    path("discuss/<int:round_item_id>/vote/", discussing.vote, name="discussion_vote"),
    path("discuss/<int:round_item_id>/end/", discussing.end, name="discussion_end"),
    path("adjudicate/", adjudicating.queue, name="adjudicate"),
    path("adjudicate/<int:round_item_id>/", adjudicating.case, name="adjudicate_case"),
    path("adjudicate/<int:round_item_id>/judges/", adjudicating.judges, name="adjudicate_judges"),
    path(
        "adjudicate/<int:round_item_id>/disputes/<int:dispute_id>/",
        adjudicating.answer_dispute,
        name="adjudicate_dispute",
    ),
    path("rubric/editions/", rubric_changes.editions, name="rubric_editions"),
    path("rubric/editions/<int:number>/", rubric_changes.change, name="rubric_change"),
    path(
        "rubric/changes/<int:change_id>/take-back/",
        rubric_changes.take_back,
        name="rubric_take_back",
    ),
    path("items/", items.items, name="items"),
    path("items/<int:item_id>/", items.item, name="item"),
    path("items/<int:item_id>/note/", items.note, name="item_note"),
    path("items/<int:item_id>/content-note/", items.warn, name="item_warn"),
    path("items/<int:item_id>/set-aside/", items.set_aside, name="item_set_aside"),
    path(
        "items/<int:item_id>/set-aside/<int:quarantine_id>/lift/",
        items.count_again,
        name="item_count_again",
    ),
    path("items/import/", importing.items, name="import_items"),
    path("ratings/import/", importing.ratings, name="import_ratings"),
    path("judges/answers/import/", importing.answers, name="import_answers"),
    path("quarantine/", quarantine.quarantine, name="quarantine"),
    path("quarantine/<int:quarantine_id>/lift/", quarantine.lift, name="quarantine_lift"),
    path("quarantine/import/", importing.quarantine, name="import_quarantine"),
    path("files/<int:job_id>/", jobs.file_job, name="file_job"),
    path("files/<int:job_id>/progress/", jobs.progress, name="file_job_progress"),
    path("files/<int:job_id>/cancel/", jobs.cancel, name="file_job_cancel"),
    path("files/<int:job_id>/import/", jobs.bring_in, name="file_job_import"),
    path("settings/", studies.settings, name="study_settings"),
    path("care/", caring.care, name="care"),
    path("team/", teams.team, name="team"),
    path("why/", governing.why, name="why"),
    path("why/<int:grant_id>/escalate/", governing.escalate, name="escalate_grant"),
]

data_set_patterns = [
    path("", governing.all_data_sets, name="data_sets"),
    path("<slug:key>/", governing.data_set, name="data_set"),
    path("<slug:key>/grants.csv", governing.who_sees_what, name="data_set_grants"),
    path("<slug:key>/people/<int:person_id>/", governing.decide, name="decide_grants"),
    path("<slug:key>/grants/<int:grant_id>/revoke/", governing.revoke, name="revoke_grant"),
    path("<slug:key>/rules/", governing.govern, name="data_set_rules"),
    path("<slug:key>/glass/", governing.break_glass, name="break_glass"),
    path("<slug:key>/glass/<int:glass_id>/", governing.witness, name="witness_glass"),
    path("<slug:key>/texts/", governing.texts, name="glass_texts"),
]

edition_patterns = [
    path("editions/", editions.EditionsView.as_view(), name="api_editions"),
    path("editions/publish/", editions.EditionPublished.as_view(), name="api_edition_publish"),
    path("editions/<int:number>/", editions.EditionView.as_view(), name="api_edition"),
    path(
        "editions/<int:number>/changes/",
        editions.EditionCompared.as_view(),
        name="api_edition_changes",
    ),
    path("changes/", editions.ChangesView.as_view(), name="api_edition_history"),
    path(
        "changes/<int:change_id>/take-back/",
        editions.ChangeTakenBack.as_view(),
        name="api_edition_take_back",
    ),
    path(
        "editions/<int:number>/adopt/", editions.EditionAdopted.as_view(), name="api_edition_adopt"
    ),
]

case_patterns = [
    path("", cases.Cases.as_view(), name="api_cases"),
    path("<int:round_item_id>/", cases.CaseView.as_view(), name="api_case"),
    path("<int:round_item_id>/decide/", cases.CaseDecided.as_view(), name="api_case_decide"),
    path("<int:round_item_id>/judges/", cases.CaseJudges.as_view(), name="api_case_judges"),
    path(
        "<int:round_item_id>/disputes/<int:dispute_id>/",
        cases.DisputeAnswered.as_view(),
        name="api_case_dispute",
    ),
]

import_patterns = [
    path("", files.FileJobs.as_view(), name="api_imports"),
    path("jobs/<int:job_id>/", files.FileJobView.as_view(), name="api_import"),
    path("jobs/<int:job_id>/import/", files.FileBrought.as_view(), name="api_import_bring"),
    path("jobs/<int:job_id>/cancel/", files.FileCancelled.as_view(), name="api_import_cancel"),
    path("<slug:what>/", files.FileSent.as_view(), name="api_import_send"),
]

own_grant_patterns = [
    path("", grants.OwnGrants.as_view(), name="api_own_grants"),
    path("ask/", grants.GrantAsked.as_view(), name="api_grant_ask"),
    path("<int:grant_id>/escalate/", grants.GrantEscalated.as_view(), name="api_grant_escalate"),
]

grant_patterns = [
    path("", grants.DataSets.as_view(), name="api_data_sets"),
    path("<slug:key>/grants/", grants.Holders.as_view(), name="api_grants"),
    path("<slug:key>/rules/", grants.DataSetRules.as_view(), name="api_data_set_rules"),
    path("<slug:key>/requests/", grants.Requests.as_view(), name="api_grant_requests"),
    path(
        "<slug:key>/requests/<int:person_id>/decide/",
        grants.RequestDecided.as_view(),
        name="api_grant_decide",
    ),
    path(
        "<slug:key>/grants/<int:grant_id>/revoke/",
        grants.GrantRevoked.as_view(),
        name="api_grant_revoke",
    ),
]

discussion_patterns = [
    path("", talk.Discussions.as_view(), name="api_discussions"),
    path("<int:round_item_id>/remark/", talk.RemarkMade.as_view(), name="api_discussion_remark"),
    path("<int:round_item_id>/vote/", talk.VotedAgain.as_view(), name="api_discussion_vote"),
    path("<int:round_item_id>/end/", talk.DiscussionEnded.as_view(), name="api_discussion_end"),
]

assignment_patterns = [
    path("submission/", working.SubmissionView.as_view(), name="api_submission"),
    path("answers/", working.OwnAnswers.as_view(), name="api_own_answers"),
    path("defer/", working.Deferred.as_view(), name="api_defer"),
    path("pass-on/", working.PassedOnward.as_view(), name="api_pass_on"),
    path("dispute/", working.Objected.as_view(), name="api_dispute"),
]

study_api_patterns: list[URLPattern | URLResolver] = [
    path("rubric/", api.RubricView.as_view(), name="api_rubric"),
    path("settings/", steering.StudySettings.as_view(), name="api_study_settings"),
    path("rubric/", include(edition_patterns)),
    path("cases/", include(case_patterns)),
    path("imports/", include(import_patterns)),
    path("grants/", include(own_grant_patterns)),
    path("protocol/", agreeing.ProtocolOfNextRounds.as_view(), name="api_protocol"),
    path("qualification/", agreeing.Qualification.as_view(), name="api_qualification"),
    path("discussions/", include(discussion_patterns)),
    path("items/note/", agreeing.ItemNoted.as_view(), name="api_item_note"),
    path("items/warn/", agreeing.ItemWarned.as_view(), name="api_item_warn"),
    path("items/", api.ItemsView.as_view(), name="api_items"),
    path("rounds/", api.RoundsView.as_view(), name="api_rounds"),
    path("team/", api.TeamView.as_view(), name="api_team"),
    path("team/member/", steering.TeamMember.as_view(), name="api_team_member"),
    path("rounds/open/", steering.RoundOpened.as_view(), name="api_round_open"),
    path("rounds/<int:number>/", api.RoundView.as_view(), name="api_round"),
    path("rounds/<int:number>/cancel/", steering.RoundCancelled.as_view(), name="api_round_cancel"),
    path("rounds/<int:number>/due/", steering.RoundDue.as_view(), name="api_round_due"),
    path(
        "rounds/<int:number>/hand-on/", steering.RoundHandedOn.as_view(), name="api_round_hand_on"
    ),
    path("rounds/<int:number>/<slug:move>/", steering.RoundMoved.as_view(), name="api_round_move"),
    path("aside/", steering.ItemAside.as_view(), name="api_aside"),
    path("aside/<int:aside_id>/lift/", steering.AsideLifted.as_view(), name="api_aside_lift"),
    path("care/", agreeing.CareOfRaters.as_view(), name="api_care"),
    path("work/next/", working.NextWork.as_view(), name="api_next_work"),
    path("work/done/", working.DoneView.as_view(), name="api_work_done"),
]

api_patterns: list[URLPattern | URLResolver] = [
    path("studies/", api.Studies.as_view(), name="api_studies"),
    path("studies/new/", steering.StudyMade.as_view(), name="api_study_new"),
    path("studies/<slug:key>/", include(study_api_patterns)),
    path("data-sets/", include(grant_patterns)),
    path("assignments/<int:assignment_id>/", include(assignment_patterns)),
]

urlpatterns = [
    path("studies/<slug:key>/", include(study_patterns)),
    path("", home.home, name="home"),
    path("who/", desk.who, name="who"),
    path("keys/", keys.keys, name="keys"),
    path("letters/", letters.letters, name="letters"),
    path("new-study/", studies.new_study, name="new_study"),
    path("data-sets/", include(data_set_patterns)),
    path("api/v1/", include(api_patterns)),
]
