"""Two studies with something behind every address, and an account of every kind."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from accounts.actions import people, requests, tokens
from accounts.gate import audience_of
from accounts.models import AccessRequest, Role, Scope, Terms, User
from analytics.exports import links
from analytics.exports.actions import WHAT
from analytics.exports.writers import zipped
from analytics.figures import store
from analytics.models import CopyStatement, FixedPolicy, Jury, ReleaseLink, SealedVerdicts, Writeup
from analytics.parts import PARTS
from analytics.policies.loading import DEFAULT
from analytics.policies.loading import shipped as policies
from analytics.report import shelf
from annotation.actions import glass, grants, rounds, rubrics, teams
from annotation.actions.jobs import keeping
from annotation.models import (
    FileJob,
    Grant,
    Quarantine,
    Rater,
    Study,
    TeamRole,
)
from annotation.rubric.loading import shipped
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import ItemState
from judging.models import Judge, JudgeCall, JudgeRun, LLMEndpoint, PromptTemplate
from judging.recorded import RECORDED
from tests.analytics.made import fetched, items_of
from tests.analytics.made import rate as rated
from tests.annotation.doing import NONSENSE, SAFE, assignment_of, rate, round_item
from tests.cast import account, add_item, approved, study_with

ON_THE_TEAM: Mapping[str, tuple[TeamRole, ...]] = {
    "coordinator": (TeamRole.COORDINATOR,),
    "annotator": (TeamRole.ANNOTATOR,),
    "adjudicator": (TeamRole.ADJUDICATOR,),
    "researcher": (TeamRole.RESEARCHER,),
    "reader": (TeamRole.RESEARCHER,),
    "exporter": (TeamRole.EXPORTER,),
    "ungranted": tuple(TeamRole),
}
GOVERN: Mapping[str, tuple[Role, ...]] = {
    "outsider": (),
    "steward": (Role.STEWARD,),
    "auditor": (Role.AUDITOR,),
    "admin": (Role.ADMIN,),
}
SHUT_OUT = ("newcomer", "signed", "applicant", "refused", "suspended", "expired", "unsigned")


# Where a name stands for another thing than elsewhere.
THINGS_OF = {
    **dict.fromkeys(("export_link", "api_release", "api_release_link"), "release"),
    **dict.fromkeys(
        (
            *("discussion", "discussion_remark", "discussion_vote", "discussion_end"),
            *("api_discussion_remark", "api_discussion_vote", "api_discussion_end"),
        ),
        "discussion",
    ),
    **dict.fromkeys(("escalate_grant", "api_grant_escalate"), "request"),
    **dict.fromkeys(
        (
            *("endpoint", "endpoint_price", "endpoint_retire"),
            *("api_endpoint_price", "api_endpoint_retire"),
        ),
        "endpoint",
    ),
    **dict.fromkeys(("rubric_change", "api_edition_changes"), "next_edition"),
    "export_file": "link",
    "api_release_file": "link_of_program",
}
# Words in an address that are no thing of a study, and what they are elsewhere.
STAND_INS: Mapping[str, object] = {
    "number": 1,
    "criterion": "safety",
    "kind": "judge_humans",
    "which": "missed",
    "monday": "2026-03-02",
    "dispute": "0-1",
    "part": "agreement",
    "table": "item_level",
    "name": "methods.md",
    "policy": "default",
    "sha256": "0" * 64,
    "move": "close",
    "what": "items",
    "token": "abc",
}
WORDS_OF = {
    "agreement_figures_file": {"kind": "csv"},
    "agreement_report_picture": {"name": "agreement"},
    "judge_prompt": {"name": "brief"},
    "judge_prompt_file": {"name": "brief"},
    "api_prompt": {"name": "brief"},
    "api_run_move": {"move": "pause"},
}
OF_PACKAGES: Mapping[str, Mapping[str, object]] = {
    "account_confirm_email": {"key": "abc"},
    "account_reset_password_from_key": {"uidb36": "1", "key": "abc"},
    "mfa_edit_webauthn": {"pk": 1},
    "mfa_remove_webauthn": {"pk": 1},
    "openid_connect_login": {"provider_id": "x"},
    "openid_connect_callback": {"provider_id": "x"},
}


@dataclass(frozen=True, kw_only=True)
class Page:
    """A URL pattern with the converters of its own part and of the parts before it."""

    name: str
    view: Callable
    converters: Mapping[str, object]

    @property
    def audience(self) -> str:
        return audience_of(self.view, self.name)

    @property
    def is_of_a_package(self) -> bool:
        return self.view.__module__.startswith(("allauth.", "django."))

    @property
    def is_in_a_study(self) -> bool:
        return "key" in self.converters and not self.is_of_a_package

    def path(self, things: Mapping[str, object]) -> str:
        """Its address about these things; a word or a number stands in for what is none of them."""
        known = STAND_INS | things | things.get(THINGS_OF.get(self.name, ""), {})
        given = {name: known[name] for name in self.converters if name in known} | WORDS_OF.get(
            self.name, {}
        )
        return reverse(self.name, kwargs=given | OF_PACKAGES.get(self.name, {}))


def all_pages(resolver=None, converters: Mapping[str, object] = {}, namespace: str = ""):
    for entry in (resolver or get_resolver()).url_patterns:
        found = {**converters, **entry.pattern.converters}
        if isinstance(entry, URLPattern):
            yield Page(name=f"{namespace}{entry.name}", view=entry.callback, converters=found)
        else:
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from all_pages(entry, found, inner)


PAGES = list({page.name: page for page in all_pages()}.values())


@dataclass(kw_only=True)
class World:
    """`people` by kind; `pond` is the study they are on the team of, `lake` belongs to others."""

    people: dict[str, User] = field(default_factory=dict)
    pond: dict[str, object] = field(default_factory=dict)
    lake: dict[str, object] = field(default_factory=dict)


def made(terms: Terms) -> World:
    world = World()
    everybody = world.people
    for kind in ON_THE_TEAM:
        everybody[kind] = approved(kind, terms)
    for kind, roles in GOVERN.items():
        everybody[kind] = approved(kind, terms, roles=list(roles))
    everybody["everything"] = approved("everything", terms, roles=list(Role))
    mate, lena, lars = (approved(name, terms) for name in ("mate", "lena", "lars"))
    stella = approved("stella", terms, roles=[Role.STEWARD])
    _shut_out(everybody, terms)
    pond = study_with(
        rubric="dialogue_safety",
        key="pond",
        team={everybody["coordinator"]: [TeamRole.COORDINATOR]},
        n_items=4,
    )
    for kind, roles in ON_THE_TEAM.items():
        if kind != "coordinator":
            also = [DataLevel.PER_RATER] if kind == "reader" else []
            _join(pond, everybody[kind], roles, also)
    _join(pond, mate, [TeamRole.ANNOTATOR])
    _join(pond, everybody["everything"], list(TeamRole), list(DataLevel))
    lake = study_with(rubric="dialogue_safety", key="lake", team={lena: list(TeamRole)}, n_items=4)
    _join(lake, lars, [TeamRole.ANNOTATOR])
    now = timezone.now()
    ungranted = everybody["ungranted"]
    Grant.objects.filter(person=ungranted).update(revoked_at=now)
    own = LLMEndpoint.objects.create(
        key="own", number=1, name="Own", base_url="http://127.0.0.1/v1", added_at=now
    )
    token, _words = tokens.make(
        name="mine", scopes=[Scope.READ], days=9, by=everybody["annotator"], at=now
    )
    statement = CopyStatement.objects.create(
        person=everybody["annotator"],
        exports=[],
        is_destroyed=True,
        typed_name="Annotator",
        text="I have destroyed it.",
        text_sha256="0" * 64,
        signed_at=now,
    )
    shared = {
        "statement_id": statement.pk,
        "acceptance_id": everybody["annotator"].acceptances.get().pk,
        "token_id": token.pk,
        "person_id": ungranted.pk,
        "account_id": everybody["researcher"].pk,
        "request_id": AccessRequest.objects.get(user=everybody["applicant"]).pk,
        "endpoint": {"number": own.pk},
    }
    stewarded = {"owner": everybody["coordinator"], "exporter": everybody["exporter"]}
    next_edition = rubrics.publish(
        definition=dict(shipped()["dialogue_safety"]) | {"title": {"en": "Next"}}, by=None, at=now
    )
    shared["next_edition"] = {"number": next_edition.number}
    world.pond = _furnished(pond, everybody["annotator"], mate, **stewarded) | shared
    world.lake = _furnished(lake, lena, lars, owner=lena, exporter=lena) | shared
    for study, things in ((pond, world.pond), (lake, world.lake)):
        things |= _governed(study, by=ungranted, steward=stella)
    for part in PARTS.values():  # what a request computes is undone with all that it does
        store.refresh(study_id=pond.pk, part=part, at=now)
    return world


def _join(study: Study, user: User, roles, also=()) -> None:
    teams.set_roles(
        study_id=study.pk,
        email=user.email,
        roles=list(roles),
        by=None,
        at=timezone.now(),
        also=list(also),
    )


def _governed(study: Study, *, by: User, steward: User) -> dict[str, object]:
    """A request that waits, a grant in force, and a glass that waits for its witness."""
    now = timezone.now()
    about = {"data_set_id": study.data_set_id, "at": now}
    grants.propose(**about, person=by, levels=[DataLevel.AGGREGATES], purpose="To see.", by=by)
    held = Grant.objects.filter(data_set=study.data_set_id, revoked_at=None)
    return {
        "grant_id": held.filter(stage="approved").order_by("-pk").first().pk,
        "request": {"grant_id": held.get(person=by, stage="requested").pk},
        "glass_id": glass.ask(**about, reason="Danger.", by=steward).pk,
    }


def _shut_out(everybody: dict[str, User], terms: Terms) -> None:
    now = timezone.now()
    by = everybody["steward"]
    everybody["newcomer"] = account("newcomer")
    everybody["unsigned"] = account("unsigned", approved_until=now + timedelta(days=9))
    for kind in ("signed", "applicant", "refused"):
        everybody[kind] = approved(kind, terms)
        everybody[kind].approved_until = None
        everybody[kind].save()
    requests.ask(purpose="To annotate.", by=everybody["applicant"], at=now)
    asked = requests.ask(purpose="To annotate.", by=everybody["refused"], at=now)
    requests.refuse(request_id=asked.pk, reason="Name the study.", by=by, at=now)
    for kind in ("suspended", "expired"):
        everybody[kind] = approved(kind, terms, roles=[Role.STEWARD, Role.ADMIN])
    people.suspend(user_id=everybody["suspended"].pk, reason="Left.", by=by, at=now)
    everybody["expired"].approved_until = now - timedelta(seconds=1)
    everybody["expired"].save()


def _furnished(
    study: Study, one: User, other: User, *, owner: User, exporter: User
) -> dict[str, object]:
    """Something for every argument of an address."""
    now = timezone.now()
    by_hand = {"study": study, "sha256": f"{study.pk:064x}"}
    first = rounds.open_round(
        study_id=study.pk, panel=[one.pk, other.pk], raters_per_item=2, by=owner, at=now
    )
    for position in (1, 2, 3):
        rate(first, one, position, SAFE)
        rate(first, other, position, SAFE if position == 2 else NONSENSE)
    disputed, discussed = round_item(first, 1), round_item(first, 3)
    type(discussed).objects.filter(pk=discussed.pk).update(state=ItemState.DISCUSSED)
    item = disputed.item
    rater = Rater.objects.create(key=f"owl-{study.key}", name="Owl", kind="judge")
    add_item(study, 5)  # in no round: routing sends it to a person
    for one_item in items_of(study):
        for repeat in (1, 2):
            rated(rater, one_item, repeat=repeat, safety="safe_response")
    judge = Judge.objects.create(
        rater=rater,
        llm="owl-1",
        base_url="http://127.0.0.1/v1",
        prompt_edition=RECORDED,
        created_at=now,
    )
    run = JudgeRun.objects.create(
        study=study, judge=judge, rubric_version=study.rubric_version, started_at=now
    )
    call = JudgeCall.objects.create(
        run=run,
        item=item,
        repeat=1,
        position=1,
        state="done",
        outcome="empty",
        exchanges=[{"text": "", "raw": ""}],
        answered_at=now,
    )
    PromptTemplate.objects.create(
        **by_hand, name="brief", number=1, text="user = 'x'", written_at=now, written_by=owner
    )
    aside = Quarantine.objects.create(
        item=item, reason="No reply.", quarantined_at=now, quarantined_by=owner
    )
    return {
        "key": study.key,
        "item_id": item.pk,
        "assignment_id": assignment_of(first, one).pk,
        "discussion": {"round_item_id": discussed.pk},
        "round_item_id": disputed.pk,
        "dispute_id": disputed.disputes.create(
            rater=Rater.objects.get(user=one), text="No.", raised_at=now
        ).pk,
        "change_id": study.rubric_changes.create(
            before=study.rubric_version,
            after=study.rubric_version,
            plan={},
            made_at=now,
            made_by=owner,
        ).pk,
        "quarantine_id": aside.pk,
        "aside_id": aside.pk,
        "job_id": FileJob.objects.create(
            study=study, kind="check", what="items", asked_at=now, asked_by=owner
        ).pk,
        **_made_of(study, by=owner, exporter=exporter),
        "run_id": run.pk,
        "generation_id": study.generations.create(seed="9", started_at=now, started_by=owner).pk,
        "call_id": call.pk,
        "judge": rater.key,
        "judge_id": rater.pk,
        "jury_id": Jury.objects.create(
            study=study,
            key="jury_1",
            name="Owls",
            members=[rater.pk],
            rule="median",
            quorum=1,
            n_seen=0,
            named_at=now,
            named_by=owner,
        ).pk,
        "raters": rater.pk,
        "rater_id": Rater.objects.get(user=one).pk,
    }


def _made_of(study: Study, *, by: User, exporter: User) -> dict[str, object]:
    """What was made of its ratings: a sealed look, a written report, a release under a link."""
    now = timezone.now()
    shipped_rules = policies()[DEFAULT]
    rules = FixedPolicy.objects.create(
        study=study,
        key=DEFAULT,
        text=shipped_rules.text,
        sha256=shipped_rules.sha256,
        n_judged=0,
        fixed_at=now,
        fixed_by=by,
    )
    sealed = SealedVerdicts.objects.create(
        study=study,
        look=1,
        policy=rules,
        revision=1,
        data_sha256="0" * 64,
        content=json.dumps(
            {"look": 1, "of_looks": 1, "policy": {"title": "Own", "sha256": "0" * 64}, "cards": []}
        ),
        sha256=f"{study.pk:064x}",
        concord="1",
        sealed_at=now,
        sealed_by=by,
    )
    files = {"methods.md": b"# Methods", "figures/agreement.svg": b"<svg/>"}
    shelf.put(f"report-{study.key}", files)
    Writeup.objects.create(
        study=study,
        language="en",
        folder=f"report-{study.key}",
        listing={name: len(content) for name, content in files.items()},
        revision=1,
        asked_at=now,
        asked_by=by,
        done_at=now,
    )
    release = fetched(study, exporter)
    release.manifest |= {"study": {"key": study.key}, "filters": {"texts": False}}
    release.manifest["counts"] = {"ratings": 3}
    release.save()
    job = FileJob.objects.create(
        study=study,
        kind="export",
        what=WHAT,
        state="done",
        result={"export": release.pk, "name": "release.zip"},
        asked_at=now,
        asked_by=exporter,
        finished_at=now,
        folder=f"release-{study.key}",
    )
    keeping.keep(job.folder, [zipped({"README.md": b"A release."})])
    asked = {"study_key": study.key, "job_id": job.pk, "by": exporter, "at": now}
    tokens_made = [links.make(**asked)[0] for _ in range(2)]
    ReleaseLink.objects.filter(job=job).update(expires_at=now + timedelta(days=1))
    return {
        "sha256": sealed.sha256,
        "release": {"job_id": job.pk},
        "link": {"token": tokens_made[0]},
        "link_of_program": {"token": tokens_made[1]},
    }
