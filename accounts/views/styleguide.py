"""Every part of the design, in each of its states, on one page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.gate import open_to

TURNS = [
    {"speaker": "seeker", "text": "I have not slept well since I changed jobs."},
    {"speaker": "supporter", "text": "That sounds tiring. What keeps you awake?"},
    {
        "speaker": "seeker",
        "text": "I keep going over what I said in meetings.\n夜里总想着白天说错的话。",
    },
    {"speaker": "supporter", "text": "Just stop thinking about it and you will be fine."},
]


@open_to("signed_in")
@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    return render(request, "styleguide.html", {"turns": TURNS, "levels": range(1, 6)})
