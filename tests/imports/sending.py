"""Files go through a browser and what a worker would do, in this process."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import FileJob
from annotation.queries.jobs import ANSWERS
from annotation.tasks import work_on_file
from judging.tasks import bring_answers


def work_off():
    """Do in this process what a worker would do."""
    for job in FileJob.objects.filter(state="waiting"):
        (bring_answers if job.what == ANSWERS else work_on_file)(job.pk)


def upload(client, key, text, *, what="items", name="items.csv", **fields):
    """Send a file and have it looked at; the page that the browser comes to, at its `address`."""
    content = text if isinstance(text, bytes) else text.encode()
    file = SimpleUploadedFile(name, content)
    sent = client.post(reverse(f"import_{what}", args=[key]), {"file": file, **fields})
    if sent.status_code != 302:
        return sent
    work_off()
    page = client.get(sent.url)
    page.address = sent.url
    return page


def bring_in(client, page, **fields):
    """Press the button, and look again once a worker has done it."""
    sent = client.post(f"{page.address}import/", fields)
    work_off()
    return client.get(sent.url)
