"""What the API gives of ratings, runs, figures and releases."""

from typing import Any

from rest_framework import serializers


class RatingRow(serializers.Serializer[Any]):
    """One rating, as a release has it, and what a release without texts has beside it: how sure, and
    what else could be defended."""

    item = serializers.CharField()
    dialogue = serializers.CharField()
    generator = serializers.CharField()
    rater = serializers.CharField(help_text="A person's pseudonym, or a judge's key")
    rater_kind = serializers.CharField()
    round = serializers.IntegerField(allow_null=True)
    repeat = serializers.IntegerField()
    origin = serializers.CharField()
    rubric_version = serializers.IntegerField()
    criterion = serializers.CharField()
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # a field so named
    score = serializers.IntegerField(allow_null=True)
    off_scale = serializers.BooleanField()
    unscored = serializers.CharField()
    confidence = serializers.IntegerField(allow_null=True)
    defensible = serializers.ListField(child=serializers.CharField(), allow_null=True)


class RatingPiece(serializers.Serializer[Any]):
    """Ratings of a page of items; `next` is the `after` of the page behind it."""

    results = RatingRow(many=True)
    next = serializers.CharField(allow_null=True)


class GoldRow(serializers.Serializer[Any]):
    """The value that an item has for a criterion, or that it is truly ambiguous."""

    item = serializers.CharField()
    criterion = serializers.CharField()
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # a field so named
    score = serializers.IntegerField(allow_null=True)
    origin = serializers.CharField()
    round = serializers.IntegerField(allow_null=True)
    ambiguous = serializers.BooleanField()
    distribution = serializers.CharField(
        allow_null=True, help_text="Of what is ambiguous: value:count value:count"
    )


class GoldPiece(serializers.Serializer[Any]):
    """Gold of a page of items; `next` is the `after` of the page behind it."""

    results = GoldRow(many=True)
    next = serializers.CharField(allow_null=True)


class ReleaseAsked(serializers.Serializer[Any]):
    """What a release is to hold."""

    with_texts = serializers.BooleanField(required=False, default=False)


class ReleaseSerializer(serializers.Serializer[Any]):
    """A release that was asked for; once it is done, a link leads to it."""

    id = serializers.IntegerField(source="pk")
    state = serializers.CharField()
    asked_at = serializers.DateTimeField()
    with_texts = serializers.SerializerMethodField()
    file_name = serializers.CharField(source="name_made")
    done = serializers.IntegerField()
    total = serializers.IntegerField(allow_null=True)

    def get_with_texts(self, job: Any) -> bool:
        return bool(job.options.get("with_texts"))


class ReleaseLinkSerializer(serializers.Serializer[Any]):
    """A link to a release; its token stands in the address of the file."""

    token = serializers.CharField()
    expires_at = serializers.DateTimeField()


class DisclosureSerializer(serializers.Serializer[Any]):
    """What a release would tell of single people; `checked`: by whom, for this account."""

    digest = serializers.CharField()
    k = serializers.IntegerField()
    people = serializers.DictField()
    dialogues = serializers.DictField()
    findings = serializers.ListField(child=serializers.DictField())
    checked = serializers.DictField(allow_null=True)


class RulingGiven(serializers.Serializer[Any]):
    """What is ruled on what was found."""

    digest = serializers.CharField(max_length=64)
    passes = serializers.BooleanField()
    reason = serializers.CharField(max_length=10_000)


class FiguresSerializer(serializers.Serializer[Any]):
    """The tables of a part: a record a figure, with its interval, n, method and notes."""

    study = serializers.CharField()
    part = serializers.CharField()
    revision = serializers.IntegerField()
    tables = serializers.ListField(child=serializers.DictField())
    elsewhere = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))


class OnTheWay(serializers.Serializer[Any]):
    """What is said instead of figures that a worker has yet to compute."""

    detail = serializers.CharField()
