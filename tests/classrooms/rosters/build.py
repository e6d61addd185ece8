"""Rebuild the files in this folder: `python -m tests.classrooms.rosters.build`."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import xlsxwriter
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from reportlab.pdfgen.canvas import Canvas

FOLDER = Path(__file__).with_name("files")

TEXTS = {
    "plain.csv": ("utf-8", "name,display name,group,id\nMia Okafor,Mia,Owls,s1\nNoah Brandt,,Foxes,s2\n"),
    "byte-order-mark.csv": ("utf-8-sig", "Name,Group\r\nZoë Żółć,Owls\r\n李小龙,\r\n"),
    "semicolons-windows-1252.csv": (
        "cp1252",
        "Nr.;Nachname;Vorname;Gruppe\r\n1;Müller;Jörg;Füchse\r\n2;Weiß;Änne;\r\n3;O’Neil;Zoé;Füchse\r\n",  # noqa: RUF001
    ),
    "windows-1252-french.csv": ("cp1252", "Prénom;Nom;Groupe\r\nÉlodie;Lefèvre;Œillets\r\nFrançois;Noël;\r\n"),
    "excel-unicode-text.txt": ("utf-16", "First name\tLast name\tGroup\r\nMia\tOkafor\tOwls\r\nŁukasz\tŻółć\t\r\n"),
    "utf-16-big-endian.txt": ("utf-16-be", "\ufeffName\tId\r\nMia Okafor\t00123\r\n"),
    "old-mac-line-ends.csv": ("utf-8", "name\rMia Okafor\rNoah Brandt\r"),
    "last-comma-first.csv": ("utf-8", '"Last, First",Homeroom\n"Okafor, Mia",2B\n"van den Berg, Noah",2B\n'),
    "class-numbers-in-cells.csv": ("utf-8", "Student\n1 Mia Okafor\n2. Noah Brandt\n3) Haddad, Lina\n"),
    "title-and-date-above.csv": ("utf-8", "Klasse 2B;;\nStand: 12.09.2026;;\n;;\nName;Gruppe;\nMia Okafor;Owls;\n"),
    "empty-rows.csv": ("utf-8", "\n\nname,group\n,\nMia Okafor,Owls\n,,\n\nNoah Brandt,\n , \n"),
    "quoted-everything.csv": ("utf-8", '"Name","Group"\n"Mia ""Mimi"" Okafor","Owls, first row"\n'),
    "trailing-separators.csv": ("utf-8", "name;;;\nMia Okafor;;;\nNoah Brandt;;;\n"),
    "many-other-columns.csv": (
        "utf-8",
        "Year,Surname,Forename,UPN,Date of birth,Phone,Notes\n3,Okafor,Mia,A823,2017-05-04,+44 20,=1+1\n",
    ),
    "unquoted-commas.csv": ("utf-8", "name,group\nOkafor, Mia,Owls\n"),
    "formulas.csv": ("utf-8", 'name,group\n"=HYPERLINK(""http://example.org"")",Owls\nMia Okafor,@SUM(1)\n'),
    "the-same-twice.csv": ("utf-8", "name\nMia Okafor\nNoah Brandt\nOkafor, Mia\n"),
    "without-titles.csv": ("utf-8", "Mia Okafor,Owls\nNoah Brandt,Foxes\n"),
    "page-saved-as.xls": ("utf-8", "<html><table><tr><td>Name</td></tr><tr><td>Mia Okafor</td></tr></table></html>"),
    "pasted-names.txt": ("utf-8", "1. Mia Okafor\n2. Brandt, Noah\n\n• Lina Haddad\n- Ada Wolf\n"),
    "pasted-class-numbers.txt": ("utf-8", "1\tMia Okafor\n2\tNoah Brandt\n12 Lina Haddad\n"),
    "pasted-with-titles.txt": ("utf-8", "No.\tName\tGroup\n1\tOkafor, Mia\tOwls\n2\tNoah Brandt\t\n"),
    "pasted-one-title.txt": ("utf-8", "\nNames\nMia Okafor\nNoah Brandt\n"),
    "pasted-last-and-first.txt": ("utf-8", "Last name\tFirst name\nOkafor\tMia\nBrandt\tNoah\n"),
    "pasted-nom.txt": ("utf-8", "Nom, Mia\nOkafor, Noah\n"),
}


def _title_row(sheet: Worksheet) -> None:
    sheet.append(["Class 2B · Mx. Rivera"])
    sheet.merge_cells("A1:D1")
    sheet.append([])
    sheet.append(["No.", "Last name", "First name", "Group"])
    sheet.append([1, "Okafor", "Mia", "Owls"])
    sheet.append([2, "Brandt", "Noah", "Foxes"])


def _last_comma_first(sheet: Worksheet) -> None:
    sheet.append(["Last, First", "Grade"])
    sheet.append(["Okafor, Mia", 2])
    sheet.append(["Haddad, Lina", 2])


def _merged(sheet: Worksheet) -> None:
    for row in (["Group", "Name"], ["Owls", "Mia Okafor"], [None, "Noah Brandt"], ["Foxes", "Lina Haddad"]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")


def _dates(sheet: Worksheet) -> None:
    sheet.append(["Name", "Born", "Joined", "Id"])
    sheet.append(["Mia Okafor", date(2017, 5, 4), date(2026, 9, 1), 1001])
    sheet.append(["Noah Brandt", "4 May 2017", None, 1002.0])


def _numbers_as_text(sheet: Worksheet) -> None:
    sheet.append(["Name", "Group", "Student ID"])
    sheet.append(["Mia Okafor", "1", "00123"])
    sheet.append(["Noah Brandt", 2, 124])
    sheet.append(["Lina Haddad", 3.5, "A-7"])


def _errors(sheet: Worksheet) -> None:
    sheet.append(["Name", "Group"])
    sheet.append(["Mia Okafor", "#N/A"])
    sheet.append(["#REF!", "Owls"])


def _notes_beside(sheet: Worksheet) -> None:
    sheet.append(["Name", None, None, None])
    sheet.append(["Mia Okafor", None, None, "sits in front"])
    for _row in range(30):
        sheet.append([])
    sheet.append(["Noah Brandt"])


def _text_formula(sheet: Worksheet) -> None:
    sheet.append(["Name"])
    sheet.append(["+Mia Okafor"])


def _no_titles(sheet: Worksheet) -> None:
    sheet.append(["Mia Okafor"])
    sheet.append(["Noah Brandt"])


SHEETS: dict[str, Callable[[Worksheet], object]] = {
    "title-row.xlsx": _title_row,
    "last-comma-first.xlsx": _last_comma_first,
    "merged-cells.xlsx": _merged,
    "dates.xlsx": _dates,
    "numbers-as-text.xlsx": _numbers_as_text,
    "errors.xlsx": _errors,
    "notes-and-empty-rows.xlsx": _notes_beside,
    "text-like-a-formula.xlsx": _text_formula,
    "without-titles.xlsx": _no_titles,
    "empty.xlsx": lambda sheet: None,
}


def packed(files: dict[str, str | bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def workbook(*fill: Callable[[Worksheet], object], hidden: int = 0, titles: tuple[str, ...] = ()) -> bytes:
    """A workbook with one sheet per function; the last `hidden` sheets are hidden."""
    book = Workbook()
    for place, each in enumerate(fill):
        sheet = book.worksheets[0] if not place else book.create_sheet()
        sheet.title = titles[place] if titles else f"Sheet{place + 1}"
        sheet.sheet_state = "hidden" if place >= len(fill) - hidden else "visible"
        each(sheet)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def changed(content: bytes, **parts: tuple[bytes, bytes]) -> bytes:
    """Replace bytes in parts of a workbook; `sheet1` is a part's name without its folder."""
    files: dict[str, str | bytes] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            old, new = parts.get(Path(name).stem, (b"", b""))
            files[name] = archive.read(name).replace(old, new) if old else archive.read(name)
    return packed(files)


def _with_formula(value: str) -> bytes:
    """Excel stores a formula's value beside it; other programs don't."""
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["No.", "Name"])
    sheet.write_number(1, 0, 1)
    sheet.write_formula(1, 1, '=CONCATENATE("Mia"," Okafor")', None, value)
    book.close()
    return buffer.getvalue()


def _binaries() -> dict[str, bytes]:
    names = workbook(_no_titles)
    laughs = b'<!DOCTYPE x [<!ENTITY a "ha">]><worksheet'
    pdf = io.BytesIO()
    page = Canvas(pdf)
    page.drawString(50, 700, "Mia Okafor")
    page.save()
    return {
        "two-classes.xlsx": workbook(_title_row, _dates, titles=("Class 2B", "Class 3A")),
        "list-on-the-second-sheet.xlsx": workbook(lambda sheet: sheet.append(["Read me first"]), _merged),
        "hidden-sheet.xlsx": workbook(_merged, _dates, hidden=1),
        "formulas.xlsx": _with_formula("Mia Okafor"),
        "formulas-without-values.xlsx": _with_formula(""),
        "broken-styles.xlsx": changed(workbook(_merged), styles=(b"<fills", b"<fills><broken/></fills><nofills")),
        "bomb-of-zeros.xlsx": changed(names, sheet1=(b"</worksheet>", b"\n" * 11_000_000 + b"</worksheet>")),
        "bomb-of-entities.xlsx": changed(names, sheet1=(b"<worksheet", laughs)),
        "bomb-of-cells.xlsx": changed(names, sheet1=(b"</sheetData>", b"<row/>" * 300_000 + b"</sheetData>")),
        "cut-off.xlsx": names[: len(names) // 2],
        "part-is-missing.xlsx": packed({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"}),
        "letter.docx": packed({"[Content_Types].xml": "<Types/>", "word/document.xml": "<w/>"}),
        "list.ods": packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}),
        "list.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "Workbook".encode("utf-16-le"),
        "list.pdf": pdf.getvalue(),
        "photo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "empty.csv": b"",
    }


def build() -> None:
    for name, (encoding, text) in TEXTS.items():
        (FOLDER / name).write_bytes(text.encode(encoding))
    for name, fill in SHEETS.items():
        (FOLDER / name).write_bytes(workbook(fill))
    for name, content in _binaries().items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    build()
