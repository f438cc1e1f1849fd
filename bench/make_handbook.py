"""Write the binary documents of examples/handbook/: run it after changing a text below.

python -m bench.make_handbook examples/handbook
"""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Font
from pptx import Presentation
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import ListFlowable, ListItem, PageBreak, Paragraph, SimpleDocTemplate, Spacer

from bench.make_handbook_open import library, sports_groups, summer_party

WRITTEN = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)


def contractor_terms(path: Path) -> None:
    document = Document()
    document.core_properties.title = "Contractor terms"
    document.core_properties.created = document.core_properties.modified = WRITTEN
    document.add_heading("Contractor terms", level=0)
    document.add_paragraph(
        "These terms apply to contractors: people who work for Tarnwick Instruments on an order and send an invoice. "
        "For employees, the policies of the people handbook apply."
    )
    document.add_heading("Vacation and absences", level=1)
    document.add_paragraph(
        "Contractors get no paid vacation. They may take up to 20 unpaid days off a year and announce them to their "
        "contact person two weeks ahead. Days of illness are unpaid as well; no medical note is needed."
    )
    document.add_heading("Place of work", level=1)
    document.add_paragraph(
        "The order says where the work is done. Contractors may work from any country in which they are insured; "
        "the 30-day limit for employees does not apply to them."
    )
    document.add_heading("Equipment", level=1)
    document.add_paragraph("Contractors use their own equipment, with these exceptions:")
    document.add_paragraph("a laptop from Tarnwick when they work with customer data", style="List Bullet")
    document.add_paragraph("a badge for the days on site", style="List Bullet")
    document.add_paragraph("safety glasses in the laboratory", style="List Bullet")
    document.add_heading("Invoices", level=1)
    document.add_paragraph("How to be paid:")
    document.add_paragraph("Enter the hours in the time portal by the last working day of the month.", "List Number")
    document.add_paragraph("Wait until your contact person has confirmed them.", "List Number")
    document.add_paragraph("Send one invoice a month with the order number to the invoice mailbox.", "List Number")
    document.add_paragraph("Invoices are paid within 30 days of receipt.")
    document.add_heading("Notice periods", level=1)
    rows = [
        ("Length of the order", "Notice by the contractor", "Notice by Tarnwick"),
        ("up to 3 months", "1 week", "1 week"),
        ("3 to 12 months", "2 weeks", "4 weeks"),
        ("more than 12 months", "4 weeks", "8 weeks"),
    ]
    table = document.add_table(rows=0, cols=3, style="Table Grid")
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(str(path))


def laptop_setup(path: Path) -> None:
    style = getSampleStyleSheet()

    def steps(*texts: str) -> ListFlowable:
        return ListFlowable([ListItem(Paragraph(text, style["BodyText"])) for text in texts], bulletType="1")

    def page(canvas: object, document: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)  # type: ignore[attr-defined]
        canvas.drawString(72, 800, "Tarnwick Instruments - IT guides")  # type: ignore[attr-defined]
        canvas.drawString(72, 30, f"Page {document.page} of 3")  # type: ignore[attr-defined]

    story = [
        Paragraph("Setting up your laptop", style["Title"]),
        Paragraph(
            "This guide takes you from the box to the first working day. Set aside about 40 minutes. The IT desk helps "
            "on extension 120, Monday to Friday from 8:00 to 17:00.",
            style["BodyText"],
        ),
        Paragraph("First start", style["Heading1"]),
        Paragraph(
            "Connect the charger, switch the laptop on and choose your language. The laptop installs updates for about "
            "20 minutes and restarts twice; do not switch it off in the meantime.",
            style["BodyText"],
        ),
        Paragraph(
            "The disk is encrypted. The recovery key is stored by the IT desk, so there is no need to print it.",
            style["BodyText"],
        ),
        PageBreak(),
        Paragraph("Connecting to the VPN", style["Heading1"]),
        Paragraph(
            "The VPN is needed for the file server, the time portal and the expense tool. It is not needed for mail "
            "and chat.",
            style["BodyText"],
        ),
        steps(
            "Open the VPN client from the start menu.",
            "Enter the gateway vpn.tarnwick.example and press Connect.",
            "Sign in with your user name and password.",
            "Confirm the sign-in in the authenticator app.",
            "Wait until the shield in the task bar turns green.",
        ),
        Spacer(1, 12),
        Paragraph(
            "The connection ends by itself after 12 hours. If the shield stays yellow, restart the client; if it turns "
            "red, call the IT desk.",
            style["BodyText"],
        ),
        PageBreak(),
        Paragraph("Printing", style["Heading1"]),
        Paragraph(
            "Every printer has the same queue, called follow-me. Print to it and hold your badge to any printer; the "
            "document is kept for 24 hours.",
            style["BodyText"],
        ),
        Paragraph("Passwords", style["Heading1"]),
        Paragraph(
            "Passwords have at least 14 characters and are changed only when there is reason to believe that somebody "
            "knows them. Use the password manager that is installed on every laptop.",
            style["BodyText"],
        ),
    ]
    SimpleDocTemplate(str(path), pagesize=A4, title="Setting up your laptop", invariant=1).build(
        story, onFirstPage=page, onLaterPages=page
    )


def travel_rates(path: Path) -> None:
    book = Workbook()
    book.properties.created = book.properties.modified = WRITTEN.replace(tzinfo=None)
    rates = book.active
    rates.title = "Daily rates"
    rows: list[tuple[object, ...]] = [
        ("Daily rates for meals, in euros",),
        (),
        ("Destination", "Full day", "Day of arrival or departure", "Breakfast included: deduct"),
        ("Domestic", 28, 14, 5.6),
        ("Austria", 40, 27, 8),
        ("Denmark", 75, 50, 15),
        ("France", 53, 36, 10.6),
        ("Netherlands", 47, 32, 9.4),
        ("Switzerland", 64, 43, 12.8),
        ("United Kingdom", 52, 35, 10.4),
    ]
    for row in rows:
        rates.append(row)
    mileage = book.create_sheet("Mileage")
    for row in [("Vehicle", "Euros per km"), ("Car", 0.3), ("Motorcycle", 0.2), ("Bicycle", 0.05)]:
        mileage.append(row)
    for cell in (*rates[1], *rates[3], *mileage[1]):
        cell.font = Font(bold=True)
    book.save(path)


def town_hall(path: Path) -> None:
    deck = Presentation()
    deck.core_properties.title = "Town hall, June 2026"
    deck.core_properties.created = deck.core_properties.modified = WRITTEN
    opening = deck.slides.add_slide(deck.slide_layouts[0])
    opening.shapes.title.text = "Town hall, June 2026"
    opening.placeholders[1].text = "What is new at Tarnwick Instruments"
    slides = [
        ("Results of the first half", ["Sales grew by 12 percent", "140 people work here, 9 more than a year ago"], ""),
        (
            "New expense tool",
            ["The new expense tool goes live on 1 September 2026", "A photo of the receipt is enough"],
            "The date depends on the bank connection; finance announces changes on the intranet.",
        ),
        (
            "Aqualine 4",
            ["Presented at the autumn fair in November 2026", "Measures turbidity as well", "Aqualine 3 is sold on"],
            "",
        ),
    ]
    for title, points, notes in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(points)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    deck.save(str(path))


def main(folder: Path) -> None:
    contractor_terms(folder / "contractor-terms.docx")
    laptop_setup(folder / "laptop-setup.pdf")
    travel_rates(folder / "travel-rates.xlsx")
    town_hall(folder / "town-hall.pptx")
    library(folder / "library.epub")
    sports_groups(folder / "sports-groups.odt")
    summer_party(folder / "summer-party.eml")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
