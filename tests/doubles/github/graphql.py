"""As much of a GraphQL server as GitHub's API needs: queries with variables, aliases and arguments over a schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_TOKEN = re.compile(r'[{}()\[\]:!$]|"(?:[^"\\]|\\.)*"|[\w.-]+')
_VARIABLE = re.compile(r"\$(\w+) ?: ?([\w!\[\]]+)")
_CONSTANTS = {"true": True, "false": False, "null": None}
MOST = 100
"""Nodes of one page."""

Schema = Mapping[str, Mapping[str, tuple[str, frozenset[str]]]]
"""Type -> field -> (its type, empty for a scalar; its arguments)."""
Resolve = Callable[[Any, str, Mapping[str, Any]], Any]


class Field(NamedTuple):
    alias: str
    name: str
    arguments: dict[str, Any]
    fields: list[Field]


class Invalid(Exception):
    """The query is not one of the schema; GitHub's type of the error."""


class Variable(str):
    __slots__ = ()


def parse(query: str) -> tuple[dict[str, str], list[Field]]:
    """The variables with their types, and what is asked for. Raises Invalid."""
    head, brace, rest = query.partition("{")
    if not brace or not re.fullmatch(r"query\s*(?:\(.*\))?\s*", head, re.DOTALL):
        raise Invalid("parse error")
    tokens = _TOKEN.findall(rest)
    tokens.reverse()
    fields = _fields(tokens)
    if tokens:
        raise Invalid("parse error")
    return dict(_VARIABLE.findall(head)), fields


def execute(schema: Schema, query: str, variables: Mapping[str, Any], root: Any, resolve: Resolve) -> dict[str, Any]:
    """The data. Raises Invalid as GitHub refuses a query, before any of it is resolved."""
    declared, fields = parse(query)
    for name, kind in declared.items():
        if kind.endswith("!") and variables.get(name) is None:
            raise Invalid(f"Variable ${name} of type {kind} was provided invalid value")
    if unknown := set(variables) - set(declared):
        raise Invalid(f"Variable {unknown} is not declared")
    used = set().union(*map(_used, fields))
    if declared.keys() != used:
        raise Invalid(f"variableNotUsed or variableNotDefined: {declared.keys() ^ used}")
    _check(schema, "Query", fields, variables)
    return _data(schema, "Query", fields, variables, root, resolve)


def _fields(tokens: list[str]) -> list[Field]:
    found = []
    while (token := _next(tokens)) != "}":
        alias = name = token
        if tokens and tokens[-1] == ":":
            tokens.pop()
            name = _next(tokens)
        arguments = {}
        if tokens and tokens[-1] == "(":
            tokens.pop()
            arguments = _pairs(tokens, ")")
        inner = []
        if tokens and tokens[-1] == "{":
            tokens.pop()
            inner = _fields(tokens)
        found.append(Field(alias, name, arguments, inner))
    return found


def _pairs(tokens: list[str], end: str) -> dict[str, Any]:
    found = {}
    while (name := _next(tokens)) != end:
        if _next(tokens) != ":":
            raise Invalid("parse error")
        found[name] = _value(tokens)
    return found


def _value(tokens: list[str]) -> Any:
    token = _next(tokens)
    if token == "{":
        return _pairs(tokens, "}")
    if token == "$":
        return Variable(_next(tokens))
    if token == "[":
        found = []
        while tokens[-1] != "]":
            found.append(_value(tokens))
        tokens.pop()
        return found
    if token.startswith('"'):
        return token[1:-1]
    return int(token) if token.isdecimal() else _CONSTANTS.get(token, token)


def _next(tokens: list[str]) -> str:
    if not tokens:
        raise Invalid("parse error")
    return tokens.pop()


def _check(schema: Schema, kind: str, fields: list[Field], variables: Mapping[str, Any]) -> None:
    for field in fields:
        if field.name not in schema[kind]:
            raise Invalid(f"undefinedField: Field '{field.name}' doesn't exist on type '{kind}'")
        its, allowed = schema[kind][field.name]
        if unknown := set(field.arguments) - allowed:
            raise Invalid(f"argumentNotAccepted: {unknown} of '{field.name}'")
        if bool(its) != bool(field.fields):
            raise Invalid(f"selectionMismatch: '{field.name}'")
        if its.endswith("Connection"):
            first = _filled(field.arguments, variables).get("first")
            if not isinstance(first, int):
                raise Invalid(f"MISSING_PAGINATION_BOUNDARIES: '{field.name}'")
            if not 1 <= first <= MOST:
                raise Invalid(f"EXCESSIVE_PAGINATION: '{field.name}'")
        if its:
            _check(schema, its, field.fields, variables)


def _used(field: Field) -> set[str]:
    return _variables(field.arguments).union(*map(_used, field.fields))


def _variables(value: Any) -> set[str]:
    if isinstance(value, Variable):
        return {str(value)}
    if isinstance(value, dict):
        return set().union(*map(_variables, value.values()))
    return set().union(*map(_variables, value)) if isinstance(value, list) else set()


def _filled(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, Variable):
        return variables.get(value)
    if isinstance(value, dict):
        return {name: _filled(inner, variables) for name, inner in value.items()}
    return [_filled(inner, variables) for inner in value] if isinstance(value, list) else value


def _data(
    schema: Schema, kind: str, fields: list[Field], variables: Mapping[str, Any], value: Any, resolve: Resolve
) -> dict[str, Any]:
    found = {}
    for field in fields:
        its = schema[kind][field.name][0]
        inner = resolve(value, field.name, _filled(field.arguments, variables))
        if its and isinstance(inner, list):
            inner = [_data(schema, its, field.fields, variables, each, resolve) for each in inner]
        elif its and inner is not None:
            inner = _data(schema, its, field.fields, variables, inner, resolve)
        found[field.alias] = inner
    return found
