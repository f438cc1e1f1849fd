"""Fields of forms in OpenDocument as what they show."""

from __future__ import annotations

from lxml import etree

from adapters.files.office.elements import attribute, local, number


def forms_of(document: etree._Element | None) -> dict[str, etree._Element]:
    """The controls that a document defines, by id."""
    forms = () if document is None else document.iter("{*}forms")
    return {attribute(one, "id"): one for form in forms for one in form.iter("*")}


def said_by(control: etree._Element | None) -> str:
    """What a control says."""
    if control is None:
        return ""
    if local(control) in {"checkbox", "radio"}:
        state = attribute(control, "current-state") or attribute(control, "state")
        on = state == "checked" or attribute(control, "current-selected") == "true"
        return f"{'☒' if on else '☐'} {attribute(control, 'label')}"
    entries = [attribute(one, "label") for one in control.iter("{*}option") if attribute(one, "current-selected")]
    return ", ".join(entries) or attribute(control, "current-value") or attribute(control, "value")


def chosen(mark: etree._Element) -> str:
    """What is ticked or chosen in a form field of Word."""
    given = [(attribute(one, "name"), attribute(one, "value")) for one in mark.iterchildren("{*}param")]
    kind = attribute(mark, "type").rpartition(".")[2]
    if kind == "FORMCHECKBOX":
        return "☒" if ("Checkbox_Checked", "true") in given else "☐"
    entries = [value for name, value in given if name == "Dropdown_ListEntry"]
    place = next((number(value, 0) for name, value in given if name == "Dropdown_Selected"), 0)
    return entries[place] if kind == "FORMDROPDOWN" and place < len(entries) else ""
