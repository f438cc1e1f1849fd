#!/bin/sh
# Install Citewell from this folder into the virtual environment TARGET, which has its dependencies already, with the tools
# of the environment BUILD; then leave out of TARGET what does not run: install.sh BUILD TARGET
set -eu
build=$1 target=$2
wheels=$(mktemp -d)
"$build/bin/python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$wheels" .
"$target/bin/python" -m pip install --quiet --no-deps --no-index "$wheels"/citewell-*.whl
rm -rf "$wheels"
packages=$("$target/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# Chroma installs what only its own server, the download of its own model and Kubernetes ask for.
rm -rf "$packages"/kubernetes "$packages"/hf_xet "$packages"/uvloop "$packages"/watchfiles "$packages"/httptools \
    "$packages"/pip "$packages"/setuptools "$packages"/pkg_resources
find "$packages" -type d \( -name tests -o -name test \) -prune -exec rm -rf {} +
"$target/bin/python" -m compileall -q "$target/lib" || true
