# Built in two stages, so that no compiler, package manager or source is in what runs. See docs/operations/container.md.
FROM python:3.13-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY locks locks
RUN python -m venv /opt/build && /opt/build/bin/pip install --require-hashes --requirement locks/build.txt \
    && python -m venv /opt/citewell && /opt/citewell/bin/pip install --require-hashes --only-binary :all: --requirement locks/run.txt
COPY . .
RUN sh deploy/install.sh /opt/build /opt/citewell

FROM python:3.13-slim
RUN groupadd --system --gid 10001 citewell \
    && useradd --system --uid 10001 --gid 10001 --home-dir /var/lib/citewell --create-home citewell \
    && chmod 0700 /var/lib/citewell
COPY --from=build /opt/citewell /opt/citewell
ENV PATH=/opt/citewell/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 CITEWELL_DATA=/var/lib/citewell/data \
    CITEWELL_OPERATIONS=127.0.0.1:9464
USER 10001:10001
WORKDIR /var/lib/citewell
VOLUME /var/lib/citewell
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import http.client, sys; asked = http.client.HTTPConnection('127.0.0.1', 9464, timeout=8); asked.request('GET', '/healthz'); told = asked.getresponse(); print(told.read().decode()); sys.exit(told.status != 200)"]
ENTRYPOINT ["citewell"]
CMD ["run"]
