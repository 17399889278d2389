"""Where the pages of this app are."""

from django.urls import URLPattern, URLResolver, include, path

from analytics import views
from analytics.agreement import views as agreement
from analytics.api import juries as juries_api
from analytics.api import reporting as reporting_api
from analytics.api import trusting as trusting_api
from analytics.api import views as api
from analytics.audit import views as audit
from analytics.calibration import views as calibration
from analytics.copies import views as copies
from analytics.exports import views as exports
from analytics.items import views as cases
from analytics.judges import views as judges
from analytics.juries import views as juries
from analytics.latent import views as latent
from analytics.overview import views as overview
from analytics.plan import views as plan
from analytics.raters import views as raters
from analytics.report import views as writeups
from analytics.routing import views as routing
from analytics.safety import views as safety
from analytics.trust import sentinel_views
from analytics.trust import views as trust

comparison_pages = [
    path("", agreement.comparison, name="agreement_comparison"),
    path("items/", agreement.comparison_items, name="agreement_comparison_items"),
    path("table.csv", agreement.table, name="agreement_table"),
]
rater_pages = [
    path("", raters.apart, name="agreement_raters_apart"),
    path("again/", raters.again, name="agreement_raters_again"),
    path("<str:monday>/", raters.week, name="agreement_raters_week"),
]
doubtful_pages = [
    path("", latent.of_people, name="agreement_doubtful"),
    path("<int:judge_id>/", latent.of_judge, name="agreement_doubtful_judge"),
]
routed_pages = [
    path("", routing.items, name="agreement_routing_items"),
    path("list.csv", routing.table, name="agreement_routing_table"),
]
sentinel_pages = [
    path("", sentinel_views.show, name="agreement_sentinels"),
    path("place/", sentinel_views.place, name="agreement_sentinels_place"),
    path("ask/", sentinel_views.ask, name="agreement_sentinels_ask"),
    path("bridge/", sentinel_views.bridge, name="agreement_sentinels_bridge"),
    path("retire/", sentinel_views.retire, name="agreement_sentinels_retire"),
    path("decide/", sentinel_views.decide, name="agreement_sentinels_decide"),
]
agreement_pages: list[URLPattern | URLResolver] = [
    path("", overview.live, name="agreement_overview"),
    path("glossary/", views.glossary, name="agreement_glossary"),
    path("matrix/", agreement.live, name="agreement"),
    path("matrix/means.csv", agreement.means, name="agreement_means"),
    path("criteria/<slug:criterion>/", agreement.criterion, name="agreement_criterion"),
    path("criteria/<slug:criterion>/<slug:kind>/<slug:raters>/", include(comparison_pages)),
    path("items/<int:item_id>/", cases.item, name="agreement_item"),
    path("judges/", judges.every, name="agreement_judges"),
    path("judges/<slug:judge>/", judges.one, name="agreement_judge"),
    path(
        "caution/<slug:criterion>/<int:judge_id>/<str:dispute>/",
        judges.differing,
        name="agreement_caution",
    ),
    path("juries/", juries.show, name="agreement_juries"),
    path("juries/look/", juries.look, name="agreement_juries_look"),
    path("juries/name/", juries.name, name="agreement_juries_name"),
    path("juries/<int:jury_id>/end/", juries.end, name="agreement_juries_end"),
    path("safety/", safety.panel, name="agreement_safety"),
    path(
        "safety/<slug:criterion>/<int:judge_id>/<slug:which>/",
        safety.items,
        name="agreement_safety_items",
    ),
    path("plan/", plan.planner, name="agreement_plan"),
    path("raters/", raters.page, name="agreement_raters"),
    path("raters/<slug:criterion>/<int:rater_id>/", include(rater_pages)),
    path("doubtful/<slug:criterion>/", include(doubtful_pages)),
    path("calibration/", calibration.page, name="agreement_calibration"),
    path("trust/", trust.grid, name="agreement_trust"),
    path("trust/blind/", trust.blind, name="agreement_blind"),
    path("trust/name/", trust.name_judges, name="agreement_name_judges"),
    path("verdicts/", trust.seal, name="agreement_seal"),
    path("verdicts/<slug:sha256>/", trust.sealed, name="agreement_sealed"),
    path("verdicts/<slug:sha256>.json", trust.sealed_file, name="agreement_sealed_file"),
    path("trust/policy/", trust.fix, name="agreement_trust_policy"),
    path("trust/plan.zip", trust.plan, name="agreement_trust_plan"),
    path("trust/policy/file/", trust.bring, name="agreement_trust_bring"),
    path("trust/policy/<slug:policy>.toml", trust.policy_file, name="agreement_trust_policy_file"),
    path("trust/<slug:criterion>/<int:judge_id>/", trust.card, name="agreement_trust_card"),
    path("sentinels/<int:judge_id>/", include(sentinel_pages)),
    path("report/", writeups.report, name="agreement_report"),
    path("report/figures/<str:name>/", writeups.picture, name="agreement_report_picture"),
    path("report/files/<path:name>", writeups.file, name="agreement_report_file"),
    path("verification/", writeups.verification, name="agreement_verification"),
    path("routing/", routing.page, name="agreement_routing"),
    path("routing/<slug:criterion>/<int:judge_id>/", include(routed_pages)),
    path(
        "tables/<slug:part>/<slug:table>.<slug:kind>",
        views.table_file,
        name="agreement_figures_file",
    ),
]
export_pages = [
    path("", exports.export, name="export"),
    path("disclosure/", exports.disclosure, name="export_disclosure"),
    path("identifiers/", exports.identifiers, name="export_identifiers"),
    path("<int:job_id>/", exports.export_link, name="export_link"),
    path("link/<str:token>/", exports.export_file, name="export_file"),
]
sentinels_of_programs = [
    path("", trusting_api.Sentinels.as_view(), name="api_sentinels"),
    path("place/", trusting_api.SentinelsPlaced.as_view(), name="api_sentinels_place"),
    path("decide/", trusting_api.SentinelsDecided.as_view(), name="api_sentinels_decide"),
    path("ask/", trusting_api.SentinelsAsked.as_view(), name="api_sentinels_ask"),
    path("bridge/", trusting_api.SentinelsBridged.as_view(), name="api_sentinels_bridge"),
    path("retire/", trusting_api.SentinelsRetired.as_view(), name="api_sentinels_retire"),
]
of_programs: list[URLPattern | URLResolver] = [
    path("agreement/", api.AgreementView.as_view(), name="api_agreement"),
    path("report/", reporting_api.ReportView.as_view(), name="api_report"),
    path("report/cancel/", reporting_api.ReportCancelled.as_view(), name="api_report_cancel"),
    path("verification/", reporting_api.VerificationView.as_view(), name="api_verification"),
    path(
        "verification/cancel/",
        reporting_api.VerificationCancelled.as_view(),
        name="api_verification_cancel",
    ),
    path("trust/seal/", reporting_api.VerdictsSealed.as_view(), name="api_seal"),
    path("trust/policy/", reporting_api.PolicyFixed.as_view(), name="api_policy_fix"),
    path("trust/plan/", reporting_api.PlanCommitted.as_view(), name="api_plan_commit"),
    path("trust/bring/", reporting_api.PolicyBrought.as_view(), name="api_policy_bring"),
    path("figures/<slug:part>/", api.Figures.as_view(), name="api_figures"),
    path("trust/", api.Trust.as_view(), name="api_trust"),
    path("ratings/", api.RatingsView.as_view(), name="api_ratings"),
    path("gold/", api.GoldView.as_view(), name="api_gold"),
    path("disclosure/", api.DisclosureView.as_view(), name="api_disclosure"),
    path("releases/", api.ReleasesView.as_view(), name="api_releases"),
    path("releases/<int:job_id>/", api.ReleaseView.as_view(), name="api_release"),
    path("releases/<int:job_id>/link/", api.ReleaseLinkView.as_view(), name="api_release_link"),
    path("releases/links/<str:token>/", api.ReleaseFile.as_view(), name="api_release_file"),
    path("judges/blind/", trusting_api.JudgesBlinded.as_view(), name="api_blind"),
    path("judges/name/", trusting_api.JudgesNamed.as_view(), name="api_name_judges"),
    path("juries/", juries_api.Juries.as_view(), name="api_juries"),
    path("juries/look/", juries_api.JuryLooked.as_view(), name="api_jury_look"),
    path("juries/name/", juries_api.JuryNamed.as_view(), name="api_jury_name"),
    path("juries/<int:jury_id>/end/", juries_api.JuryEnded.as_view(), name="api_jury_end"),
    path("sentinels/", trusting_api.SentinelSets.as_view(), name="api_sentinel_sets"),
    path("sentinels/<int:judge_id>/", include(sentinels_of_programs)),
]
urlpatterns = [
    path("access/audit/", audit.audit, name="audit"),
    path("access/copies/", copies.own, name="copies"),
    path("access/copies/<int:statement_id>/", copies.statement, name="copies_statement"),
    path("data-sets/<slug:key>/copies/", copies.of_data_set, name="data_set_copies"),
    path("studies/<slug:key>/agreement/", include(agreement_pages)),
    path("studies/<slug:key>/export/", include(export_pages)),
    path("api/v1/studies/<slug:key>/", include(of_programs)),
]
