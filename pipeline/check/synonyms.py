"""Everyday words that mean the same in workplace documents, so that a faithful rewording is known as one."""

from __future__ import annotations

from pipeline.text import stem

_GROUPS = """
employee staff worker personnel workforce
begin start commence
end finish conclude
get receive obtain
buy purchase
help assist support
show display
delete remove erase
create make
build construct
need require
allow permit
forbid prohibit
big large
choose select pick
submit send
begins starts
stop halt
keep retain
ask request
answer reply respond
tell inform notify
happen occur
change modify alter
fix repair
approx approximately about roughly
costs price
doctor physician
children child kid
near close
fast quick rapid
money fund
job position
entire whole
error mistake
launch release
quickly rapidly
sign-in login
""".strip()
SAME = {stem(word): stem(group.split()[0]) for group in _GROUPS.splitlines() for word in group.split()}
"""A stem, and the one that stands for its group."""
