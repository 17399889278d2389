"""Where the pages of this app are."""

from django.urls import include, path

from analytics import views
from analytics.agreement import views as agreement
from analytics.api import juries as juries_api
from analytics.api import reporting, trusting
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

urlpatterns = [
    path("access/audit/", audit.audit, name="audit"),
    path("access/copies/", copies.own, name="copies"),
    path("access/copies/<int:statement_id>/", copies.statement, name="copies_statement"),
    path("data-sets/<slug:key>/copies/", copies.of_data_set, name="data_set_copies"),
    path("studies/<slug:key>/agreement/", overview.live, name="agreement_overview"),
    path("studies/<slug:key>/agreement/glossary/", views.glossary, name="agreement_glossary"),
    path("studies/<slug:key>/agreement/matrix/", agreement.live, name="agreement"),
    path("studies/<slug:key>/agreement/matrix/means.csv", agreement.means, name="agreement_means"),
    path(
        "studies/<slug:key>/agreement/criteria/<slug:criterion>/",
        agreement.criterion,
        name="agreement_criterion",
    ),
    path(
        "studies/<slug:key>/agreement/criteria/<slug:criterion>/<slug:kind>/<slug:raters>/",
        agreement.comparison,
        name="agreement_comparison",
    ),
    path(
        "studies/<slug:key>/agreement/criteria/<slug:criterion>/<slug:kind>/<slug:raters>/items/",
        agreement.comparison_items,
        name="agreement_comparison_items",
    ),
    path(
        "studies/<slug:key>/agreement/criteria/<slug:criterion>/<slug:kind>/<slug:raters>/table.csv",
        agreement.table,
        name="agreement_table",
    ),
    path("studies/<slug:key>/agreement/items/<int:item_id>/", cases.item, name="agreement_item"),
    path("studies/<slug:key>/agreement/judges/", judges.every, name="agreement_judges"),
    path("studies/<slug:key>/agreement/judges/<slug:judge>/", judges.one, name="agreement_judge"),
    path("studies/<slug:key>/agreement/juries/", juries.show, name="agreement_juries"),
    path("studies/<slug:key>/agreement/juries/look/", juries.look, name="agreement_juries_look"),
    path("studies/<slug:key>/agreement/juries/name/", juries.name, name="agreement_juries_name"),
    path(
        "studies/<slug:key>/agreement/juries/<int:jury_id>/end/",
        juries.end,
        name="agreement_juries_end",
    ),
    path("studies/<slug:key>/agreement/safety/", safety.panel, name="agreement_safety"),
    path(
        "studies/<slug:key>/agreement/safety/<slug:criterion>/<int:judge_id>/<slug:which>/",
        safety.items,
        name="agreement_safety_items",
    ),
    path("studies/<slug:key>/agreement/plan/", plan.planner, name="agreement_plan"),
    path("studies/<slug:key>/agreement/raters/", raters.page, name="agreement_raters"),
    path(
        "studies/<slug:key>/agreement/doubtful/<slug:criterion>/",
        latent.of_people,
        name="agreement_doubtful",
    ),
    path(
        "studies/<slug:key>/agreement/doubtful/<slug:criterion>/<int:judge_id>/",
        latent.of_judge,
        name="agreement_doubtful_judge",
    ),
    path(
        "studies/<slug:key>/agreement/calibration/", calibration.page, name="agreement_calibration"
    ),
    path("studies/<slug:key>/agreement/trust/", trust.grid, name="agreement_trust"),
    path("studies/<slug:key>/agreement/trust/blind/", trust.blind, name="agreement_blind"),
    path(
        "studies/<slug:key>/agreement/trust/name/", trust.name_judges, name="agreement_name_judges"
    ),
    path("studies/<slug:key>/agreement/verdicts/", trust.seal, name="agreement_seal"),
    path(
        "studies/<slug:key>/agreement/verdicts/<slug:sha256>/",
        trust.sealed,
        name="agreement_sealed",
    ),
    path(
        "studies/<slug:key>/agreement/verdicts/<slug:sha256>.json",
        trust.sealed_file,
        name="agreement_sealed_file",
    ),
    path("studies/<slug:key>/agreement/trust/policy/", trust.fix, name="agreement_trust_policy"),
    path("studies/<slug:key>/agreement/trust/plan.zip", trust.plan, name="agreement_trust_plan"),
    path(
        "studies/<slug:key>/agreement/trust/policy/file/",
        trust.bring,
        name="agreement_trust_bring",
    ),
    path(
        "studies/<slug:key>/agreement/trust/policy/<slug:policy>.toml",
        trust.policy_file,
        name="agreement_trust_policy_file",
    ),
    path(
        "studies/<slug:key>/agreement/trust/<slug:criterion>/<int:judge_id>/",
        trust.card,
        name="agreement_trust_card",
    ),
    path(
        "studies/<slug:key>/agreement/sentinels/<int:judge_id>/",
        include(
            [
                path("", sentinel_views.show, name="agreement_sentinels"),
                path("place/", sentinel_views.place, name="agreement_sentinels_place"),
                path("ask/", sentinel_views.ask, name="agreement_sentinels_ask"),
                path("bridge/", sentinel_views.bridge, name="agreement_sentinels_bridge"),
                path("retire/", sentinel_views.retire, name="agreement_sentinels_retire"),
                path("decide/", sentinel_views.decide, name="agreement_sentinels_decide"),
            ]
        ),
    ),
    path("studies/<slug:key>/agreement/report/", writeups.report, name="agreement_report"),
    path(
        "studies/<slug:key>/agreement/report/figures/<str:name>/",
        writeups.picture,
        name="agreement_report_picture",
    ),
    path(
        "studies/<slug:key>/agreement/report/files/<path:name>",
        writeups.file,
        name="agreement_report_file",
    ),
    path(
        "studies/<slug:key>/agreement/verification/",
        writeups.verification,
        name="agreement_verification",
    ),
    path("studies/<slug:key>/agreement/routing/", routing.page, name="agreement_routing"),
    path(
        "studies/<slug:key>/agreement/routing/<slug:criterion>/<int:judge_id>/",
        routing.items,
        name="agreement_routing_items",
    ),
    path(
        "studies/<slug:key>/agreement/routing/<slug:criterion>/<int:judge_id>/list.csv",
        routing.table,
        name="agreement_routing_table",
    ),
    path(
        "studies/<slug:key>/agreement/tables/<slug:part>/<slug:table>.<slug:kind>",
        views.table_file,
        name="agreement_figures_file",
    ),
    path("studies/<slug:key>/export/", exports.export, name="export"),
    path("studies/<slug:key>/export/disclosure/", exports.disclosure, name="export_disclosure"),
    path("studies/<slug:key>/export/identifiers/", exports.identifiers, name="export_identifiers"),
    path("studies/<slug:key>/export/<int:job_id>/", exports.export_link, name="export_link"),
    path("studies/<slug:key>/export/link/<str:token>/", exports.export_file, name="export_file"),
    path("api/v1/studies/<slug:key>/agreement/", api.AgreementView.as_view(), name="api_agreement"),
    path("api/v1/studies/<slug:key>/report/", reporting.ReportView.as_view(), name="api_report"),
    path(
        "api/v1/studies/<slug:key>/verification/",
        reporting.VerificationView.as_view(),
        name="api_verification",
    ),
    path(
        "api/v1/studies/<slug:key>/trust/seal/", reporting.VerdictsSealed.as_view(), name="api_seal"
    ),
    path(
        "api/v1/studies/<slug:key>/trust/policy/",
        reporting.PolicyFixed.as_view(),
        name="api_policy_fix",
    ),
    path(
        "api/v1/studies/<slug:key>/trust/plan/",
        reporting.PlanCommitted.as_view(),
        name="api_plan_commit",
    ),
    path(
        "api/v1/studies/<slug:key>/trust/bring/",
        reporting.PolicyBrought.as_view(),
        name="api_policy_bring",
    ),
    path(
        "api/v1/studies/<slug:key>/figures/<slug:part>/",
        api.Figures.as_view(),
        name="api_figures",
    ),
    path("api/v1/studies/<slug:key>/trust/", api.Trust.as_view(), name="api_trust"),
    path("api/v1/studies/<slug:key>/ratings/", api.RatingsView.as_view(), name="api_ratings"),
    path("api/v1/studies/<slug:key>/gold/", api.GoldView.as_view(), name="api_gold"),
    path(
        "api/v1/studies/<slug:key>/disclosure/",
        api.DisclosureView.as_view(),
        name="api_disclosure",
    ),
    path("api/v1/studies/<slug:key>/releases/", api.ReleasesView.as_view(), name="api_releases"),
    path(
        "api/v1/studies/<slug:key>/releases/<int:job_id>/",
        api.ReleaseView.as_view(),
        name="api_release",
    ),
    path(
        "api/v1/studies/<slug:key>/releases/<int:job_id>/link/",
        api.ReleaseLinkView.as_view(),
        name="api_release_link",
    ),
    path(
        "api/v1/studies/<slug:key>/releases/links/<str:token>/",
        api.ReleaseFile.as_view(),
        name="api_release_file",
    ),
    path(
        "api/v1/studies/<slug:key>/judges/blind/",
        trusting.JudgesBlinded.as_view(),
        name="api_blind",
    ),
    path(
        "api/v1/studies/<slug:key>/judges/name/",
        trusting.JudgesNamed.as_view(),
        name="api_name_judges",
    ),
    path("api/v1/studies/<slug:key>/juries/", juries_api.Juries.as_view(), name="api_juries"),
    path(
        "api/v1/studies/<slug:key>/juries/look/",
        juries_api.JuryLooked.as_view(),
        name="api_jury_look",
    ),
    path(
        "api/v1/studies/<slug:key>/juries/name/",
        juries_api.JuryNamed.as_view(),
        name="api_jury_name",
    ),
    path(
        "api/v1/studies/<slug:key>/juries/<int:jury_id>/end/",
        juries_api.JuryEnded.as_view(),
        name="api_jury_end",
    ),
    path(
        "api/v1/studies/<slug:key>/sentinels/",
        trusting.SentinelSets.as_view(),
        name="api_sentinel_sets",
    ),
    path(
        "api/v1/studies/<slug:key>/sentinels/<int:judge_id>/",
        include(
            [
                path("", trusting.Sentinels.as_view(), name="api_sentinels"),
                path("place/", trusting.SentinelsPlaced.as_view(), name="api_sentinels_place"),
                path("decide/", trusting.SentinelsDecided.as_view(), name="api_sentinels_decide"),
                path("ask/", trusting.SentinelsAsked.as_view(), name="api_sentinels_ask"),
                path("bridge/", trusting.SentinelsBridged.as_view(), name="api_sentinels_bridge"),
                path("retire/", trusting.SentinelsRetired.as_view(), name="api_sentinels_retire"),
            ]
        ),
    ),
]
