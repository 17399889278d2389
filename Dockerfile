FROM python:3.12-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    OPENBLAS_NUM_THREADS=1 \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=131072 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    ARROW_DEFAULT_MEMORY_POOL=system \
    PYTHONUNBUFFERED=1 \
    CONCORD_HOME=/srv/home \
    DJANGO_SETTINGS_MODULE=config.settings.production
WORKDIR /srv/concord

COPY requirements/server.txt requirements/server.txt
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/server.txt

COPY . .
# The settings want these variables; neither step connects to anything or keeps a secret. The number
# of the user is that of the volumes' owner, and stays.
RUN pybabel --quiet compile --domain django --directory locale \
 && SECRET_KEY=unused ALLOWED_HOSTS=unused DATABASE_URL=postgresql:// REDIS_URL=redis:// \
    python manage.py collectstatic --no-input \
 && useradd --system --uid 999 concord \
 && install --directory --owner concord --mode 700 "$CONCORD_HOME" "$CONCORD_HOME/exports" "$CONCORD_HOME/uploads" "$CONCORD_HOME/ledger" "$CONCORD_HOME/keys" "$CONCORD_HOME/run"

USER concord
EXPOSE 8000
CMD ["python", "-m", "config.processes", "web"]
