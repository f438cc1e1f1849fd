"""How many, which days, in which direction and in which order: one word turns it."""

from __future__ import annotations

import pytest
from pipeline.check.validate import judge

from pipeline.values import Sentence
from tests.doubles.llm.walk import passage

STEPS = "Delete the cache file, then restart the service."


def supported(source: str, text: str) -> bool:
    return judge(Sentence(text=text, chunk_ids=("c1",)), [passage("c1", source)]).supported


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Few customers returned the product.", "Many customers returned the product."),
        ("Most customers returned the product.", "Few customers returned the product."),
        ("Half of the staff work remotely.", "Most of the staff work remotely."),
        ("Some teams work remotely.", "Most teams work remotely."),
        ("Customer data is encrypted at rest.", "Customer data is decrypted at rest."),
        ("The door opens inward.", "The door opens outward."),
        ("Refunds take 5 business days.", "Refunds take 5 days."),
        ("Refunds take 5 days.", "Refunds take 5 business days."),
        (STEPS, "Restart the service, then delete the cache file."),
        (STEPS, "Delete the cache file after you restart the service."),
        ("Delete the cache file before you restart the service.", "Restart the service, then delete the cache file."),
        (
            "First export the data, and then close the account.",
            "First close the account, and then export the data.",
        ),
    ],
)
def test_another_degree_direction_or_order_is_not_supported(source: str, text: str) -> None:
    assert not supported(source, text)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Most teams work remotely.", "Many teams work remotely."),
        ("Several teams work remotely.", "Some teams work remotely."),
        ("A few customers returned the product.", "Some customers returned the product."),
        ("Some teams use the most expensive plan.", "Some teams use the plan that is the most expensive."),
        ("Refunds take 5 business days.", "A refund takes five working days."),
        ("Refunds take 5 calendar days.", "A refund takes five days."),
        (STEPS, "Restart the service after you have deleted the cache file."),
        (STEPS, "After deleting the cache file, restart the service."),
        (STEPS, "Before restarting the service, delete the cache file."),
        (STEPS, "First delete the cache file and then restart the service."),
    ],
)
def test_the_same_degree_direction_and_order_in_other_words_is_supported(source: str, text: str) -> None:
    assert supported(source, text)
