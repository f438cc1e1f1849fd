"""Texts and form for adding files and links to the documents. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adapters.chat.reply.splitting import MAX_NAME_LENGTH, sanitize_line
from adapters.chat.words.forms import ChoiceField, Form, FormValues
from pipeline.ports import AddedDocument, UploadRefused
from pipeline.translations import PluralText, TranslatableText, Translator
from pipeline.words import wording

ADD_LABEL = TranslatableText("Add to knowledge")
WHAT_LABEL, WHERE_LABEL = TranslatableText("What to add"), TranslatableText("Into which collection")
WHERE_HINT = TranslatableText("Everyone who may see that collection gets answers from it.")
CANCEL = TranslatableText("Cancel")
READING_FILE = TranslatableText("Reading {name} …")
ADDED = TranslatableText("{name} is in the collection {collection} now, as “{title}”.")
PASSAGES_READ = PluralText("{number} passage was read.", "{number} passages were read.")
REPLACED = TranslatableText("It replaces what you added under the same name.")
TAKE_BACK_HINT = TranslatableText(
    "To take it back, press the button; whoever runs me can do it with `citewell documents remove {id}`."
)
NOT_ADDED = TranslatableText("{name} was left out: {reason}")
TAKE_BACK_LABEL = TranslatableText("Take it back")
TAKEN_BACK = TranslatableText("“{title}” is taken back: no answer rests on it any more.")
DOCUMENT_GONE = TranslatableText("It is not among the documents any more.")
CONTRIBUTORS_ONLY = TranslatableText("Only a contributor may add to my knowledge. Whoever runs me says who is one.")
NOT_YOUR_DOCUMENT = TranslatableText("Only whoever added it, or an admin, may take it back.")
NOTHING_TO_ADD = TranslatableText("That message has no file and no link that I could add.")
NO_COLLECTION = TranslatableText("There is no collection here that you could add to.")
OUT_OF_DATE = TranslatableText("This is out of date. Choose “{add}” again.")

UNREADABLE = TranslatableText("I read {formats}, with text in them and without a password.")
TOO_LARGE = TranslatableText("it is larger than {megabytes} MB.")
NOT_PUBLIC = TranslatableText("I open public web pages only.")
PAGE_NOT_OPEN = TranslatableText("the page is not there, or it asks to sign in.")
FETCH_FAILED = TranslatableText("I could not get it. Please try again in a minute.")
FILE_GONE = TranslatableText("the file is not there any more, or I may not see it. Send it to me in a direct message.")
FILE_ELSEWHERE = TranslatableText("the file is kept outside {platform}, and I have no access to it.")
FILES_NOT_ALLOWED = TranslatableText(
    "I may not open files here. Whoever runs me can give me the permission {permission}."
)

UPLOAD_FORM = "adding"
MAX_UPLOADS = 10
"""Files and links of one message that can be added."""
_ADDRESS = re.compile(r"https?://[^\s<>|\"]+")
_TRAILING = ".,;:!?'*_~"


class UploadCandidate(NamedTuple):
    """One file or link of a message."""

    name: str
    file_id: str = ""
    """Its id on the platform; empty for a link, whose name is its address."""


def find_urls(text: str) -> list[UploadCandidate]:
    """Return the addresses in typed text, each once, without the punctuation that ends a sentence."""
    urls = (url.rstrip(_TRAILING if "(" in url else f"{_TRAILING})") for url in _ADDRESS.findall(text))
    return [UploadCandidate(url) for url in dict.fromkeys(urls)]


def candidate_label(candidate: UploadCandidate) -> str:
    """Return the candidate's label in the form."""
    return sanitize_line(candidate.name, 75)


def added_text(candidate: UploadCandidate, added: AddedDocument, translator: Translator) -> str:
    """Return what was added, and where it is."""
    name, title = sanitize_line(candidate.name, MAX_NAME_LENGTH), sanitize_line(added.title, MAX_NAME_LENGTH)
    return " ".join(
        [
            translator(ADDED, name=name, collection=added.collection, title=title),
            translator.pluralize(PASSAGES_READ, added.passages),
            *([translator(REPLACED)] if added.replaced else []),
            *([f"{translator(wording.INSTRUCTIONS_IGNORED)}."] if added.flagged else []),
        ]
    )


def take_back_hint(added: AddedDocument, translator: Translator) -> str:
    """Return how to remove it again, in Markdown of any kind."""
    return translator(TAKE_BACK_HINT, id=added.document)


def rejected_text(candidate: UploadCandidate, error: UploadRefused, translator: Translator) -> str:
    """Return why it was not added."""
    return translator(
        NOT_ADDED, name=sanitize_line(candidate.name, MAX_NAME_LENGTH), reason=translator(error.reason, **error.fields)
    )


def fetch_failed_text(candidate: UploadCandidate, translator: Translator) -> str:
    return translator(NOT_ADDED, name=sanitize_line(candidate.name, MAX_NAME_LENGTH), reason=translator(FETCH_FAILED))


def upload_form(
    subject_id: str, candidates: Sequence[UploadCandidate], collections: Sequence[str], translator: Translator
) -> Form:
    """Return the form: which candidates, if there are several (files are ticked), and into which collection."""
    fields = []
    if len(candidates) > 1:
        labels = {str(place): candidate_label(candidate) for place, candidate in enumerate(candidates)}
        files = tuple(str(place) for place, candidate in enumerate(candidates) if candidate.file_id)
        fields.append(
            ChoiceField("what", translator(WHAT_LABEL), labels, files or tuple(labels), is_multiple=True, required=True)
        )
    if len(collections) > 1:
        names = {name: name for name in collections}
        hint = translator(WHERE_HINT)
        fields.append(
            ChoiceField(
                "where", translator(WHERE_LABEL), names, tuple(collections[:1]), hint, is_collapsed=True, required=True
            )
        )
    return Form(
        UPLOAD_FORM, subject_id, translator(ADD_LABEL), translator(ADD_LABEL), translator(CANCEL), tuple(fields)
    )


def parse_upload_form(values: FormValues, candidates: Sequence[UploadCandidate]) -> tuple[list[UploadCandidate], str]:
    """Return the ticked candidates and the collection; that is empty where there was no choice."""
    ticked = {str(place): candidate for place, candidate in enumerate(candidates)}
    chosen = [ticked[place] for place in values["what"] if place in ticked] if "what" in values else list(candidates)
    return chosen, "".join(values.get("where", ()))
