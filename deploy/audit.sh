#!/bin/sh
# deploy/audit.sh PIP_AUDIT LOCK: known vulnerabilities of what LOCK holds, as PyPI knows them. Says so where a package
# registry does not tell, and fails where one is known.
set -eu
asked='https://pypi.org/pypi/pip/25.0/json'
if ! python3 -c "import urllib.request; urllib.request.urlopen('$asked', timeout=20)" 2>/dev/null; then
    echo "Known vulnerabilities were not looked up: $asked does not answer here." >&2
    exit 0
fi
exec "$1" --strict --disable-pip --require-hashes --requirement "$2"
