"""How the web server runs: `gunicorn --config=python:config.web config.wsgi:application`."""

from typing import Any

from gunicorn import glogging

from config import environment
from config.web.serving import leave_place, take_place

worker_class = "config.web.waiting.WaitingWorker"
workers = environment.number("CONCORD_WEB_PROCESSES", 2)
threads = 5  # one answers, others only what takes long
keepalive = 75
pre_fork, child_exit = take_place, leave_place
preload_app = True
control_socket_disable = True


class LogsOfDjango(glogging.Logger):
    """What gunicorn says goes where the settings send the rest, in their form."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


logger_class = LogsOfDjango
