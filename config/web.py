"""How the web server runs: `gunicorn --config=python:config.web config.wsgi:application`."""

worker_class = "gthread"
workers = 2
threads = 5  # ten people at once; with more they wait for one another inside instead of in line
keepalive = 75
# A browser stays with the worker that accepted it. From one socket for all, the first that wakes
# would take most; the kernel shares connections out among sockets.
reuse_port = True
preload_app = True
control_socket_disable = True
