"""Letting people in by program, and accounts: as on the pages of stewards and administrators."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions import people as changes
from accounts.actions import requests as decisions
from accounts.api.answering import checked, reaches_far, refusing, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.forms import ROLES, ApproveForm, RefuseForm, RolesForm, SuspendForm
from accounts.gate import ApiRequest, Scope
from accounts.queries import people, requests


class AccessRequestSerializer(serializers.Serializer[Any]):
    """Who asked to be let in, when, and what came of it; what for is told one by one."""

    id = serializers.IntegerField()
    account = serializers.IntegerField(source="user_id")
    name = serializers.CharField(source="user.full_name")
    email = serializers.CharField(source="user.email")
    affiliation = serializers.CharField(source="user.affiliation")
    requested_at = serializers.DateTimeField()
    decision = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)
    granted_until = serializers.DateTimeField(allow_null=True)


class AccessAskedSerializer(serializers.Serializer[Any]):
    """One request; `latest_end`: how long it can be approved for, null where it cannot."""

    request = AccessRequestSerializer()
    purpose = serializers.CharField(source="request.purpose")
    latest_end = serializers.DateTimeField(allow_null=True)
    reason_not_to_decide = serializers.CharField(allow_null=True)
    reason_not_to_approve = serializers.CharField(allow_null=True)


class AdmissionGiven(serializers.Serializer[Any]):
    """Approve until the end of a day, or refuse with a reason that the applicant reads."""

    decision = serializers.ChoiceField(choices=["approve", "refuse"])
    until = serializers.DateField(required=False, allow_null=True, default=None)
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=2000)


class AccountSerializer(serializers.Serializer[Any]):
    """Somebody with an account, and their roles on this server."""

    id = serializers.IntegerField()
    name = serializers.CharField(source="full_name")
    email = serializers.CharField()
    affiliation = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    is_suspended = serializers.BooleanField()


class SuspensionGiven(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=2000)


class RolesGiven(serializers.Serializer[Any]):
    """All the roles that an account has from now on."""

    roles = serializers.ListField(child=serializers.ChoiceField(choices=ROLES))


class AccessRequests(APIView):
    scope = Scope.PEOPLE

    @described(parameters=PAGE_PARAMETERS, responses=page_of(AccessRequestSerializer))
    def get(self, request: ApiRequest) -> Response:
        """Who waits to be let in, and the hundred that were decided last."""
        _stewards_only(request)
        found = [
            *requests.requests_by_decision(is_open=True),
            *requests.requests_by_decision(is_open=False),
        ]
        return paged(request, found, AccessRequestSerializer, key=lambda one: one.pk)


class AccessAsked(APIView):
    scope = Scope.PEOPLE

    @described(responses=AccessAskedSerializer)
    def get(self, request: ApiRequest, request_id: int) -> Response:
        """One request, with what it is for; that it was shown is in the trail."""
        page = _asked(request, request_id)
        decisions.show(request_id=request_id, by=request.user, at=timezone.now())
        return Response(AccessAskedSerializer(page).data)


class AccessDecided(APIView):
    scope = Scope.ADMIT

    @once(request=AdmissionGiven, responses={200: AccessRequestSerializer})
    def post(self, request: ApiRequest, request_id: int) -> Response:
        """Let somebody in, or refuse. To let in takes a token that was made in the last minutes."""
        page, asked = _asked(request, request_id), taken(AdmissionGiven, request)
        with refusing(decisions.CannotDecide):
            if asked["decision"] == "refuse":
                return _refused(request, request_id, asked["reason"])
            reaches_far(request)
            latest = page.latest_end or timezone.now()
            form = checked(ApproveForm({"until": asked["until"]}, latest=latest))
            decided = decisions.approve(
                request_id=request_id, until=form.end_of_term(), by=request.user, at=timezone.now()
            )
        return Response(AccessRequestSerializer(decided).data)


class Accounts(APIView):
    scope = Scope.PEOPLE

    @described(
        parameters=[*PAGE_PARAMETERS, OpenApiParameter("q", str)],
        responses=page_of(AccountSerializer),
    )
    def get(self, request: ApiRequest) -> Response:
        """Accounts whose name, address or affiliation has all the words of `q`: 200 at most."""
        _managers_only(request)
        found = people.accounts_matching(request.query_params.get("q", "").replace("\x00", ""))
        return paged(request, found, AccountSerializer, key=lambda one: one.pk)


class AccountSuspended(APIView):
    scope = Scope.ADMIT

    @once(request=SuspensionGiven, responses={200: AccountSerializer})
    def post(self, request: ApiRequest, account_id: int) -> Response:
        """Let an account do nothing from now on."""
        _account(request, account_id)
        form = checked(SuspendForm(taken(SuspensionGiven, request)))
        with refusing(changes.CannotChange):
            changes.suspend(
                user_id=account_id,
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=timezone.now(),
            )
        return _told(request, account_id)


class AccountReinstated(APIView):
    scope = Scope.ADMIT

    @once(request=None, responses={200: AccountSerializer})
    def post(self, request: ApiRequest, account_id: int) -> Response:
        """End a suspension; another steward or administrator than who suspended does."""
        _account(request, account_id)
        with refusing(changes.CannotChange):
            changes.reinstate(user_id=account_id, by=request.user, at=timezone.now())
        return _told(request, account_id)


class AccountRoles(APIView):
    scope = Scope.ADMIT

    @described(request=RolesGiven, responses={200: AccountSerializer})
    def put(self, request: ApiRequest, account_id: int) -> Response:
        """Give an account exactly these roles on the server, with a token that is just made."""
        if not request.access.may_set_roles:
            raise PermissionDenied
        _account(request, account_id)
        given = taken(RolesGiven, request)
        reaches_far(request)
        form = checked(RolesForm(given))
        with refusing(changes.CannotChange):
            changes.set_roles(
                user_id=account_id,
                roles=form.cleaned_data["roles"],
                by=request.user,
                at=timezone.now(),
            )
        return _told(request, account_id)


def _refused(request: ApiRequest, request_id: int, reason: str) -> Response:
    form = checked(RefuseForm({"reason": reason}))
    decided = decisions.refuse(
        request_id=request_id,
        reason=form.cleaned_data["reason"],
        by=request.user,
        at=timezone.now(),
    )
    return Response(AccessRequestSerializer(decided).data)


def _stewards_only(request: ApiRequest) -> None:
    if not request.access.may_decide_requests:
        raise PermissionDenied


def _managers_only(request: ApiRequest) -> None:
    if not request.access.may_manage_accounts:
        raise PermissionDenied


def _asked(request: ApiRequest, request_id: int) -> requests.RequestPage:
    _stewards_only(request)
    return requests.request_page(request_id, reader=request.user.pk, at=timezone.now())


def _account(request: ApiRequest, account_id: int) -> people.AccountPage:
    _managers_only(request)
    return people.account_page(account_id, reader=request.user.pk)


def _told(request: ApiRequest, account_id: int) -> Response:
    """The account as it is now."""
    page = _account(request, account_id)
    account: Any = page.account
    account.is_suspended = page.facts.is_suspended
    return Response(AccountSerializer(account).data)
