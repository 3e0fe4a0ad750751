"""The confusion table as a picture: true class by answer."""

from __future__ import annotations

from citeproof.measure.charts.svg_sheet import COLOURS, SvgSheet
from citeproof.measure.metrics import CLASSES, ClassLabels, Integers

WIDE, HIGH = 96.0, 62.0


def draw_confusion_chart(title: str, table: Integers, classes: ClassLabels = CLASSES) -> str:
    """Return the chart of a confusion table; the darker, the greater the share of its row."""
    counts = table.tolist()
    answers = (*(label.value for label in classes), "unchecked")
    rows = zip(classes, counts, strict=True)
    said = "; ".join(f"{label.value}: {', '.join(map(str, row))}" for label, row in rows)
    sheet = SvgSheet(
        96 + WIDE * len(answers), 104 + HIGH * len(classes), title, f"{', '.join(answers)}. {said}"
    )
    for column, name in enumerate(answers):
        sheet.text(80 + WIDE * (column + 0.5), 66, name, anchor="middle")
    for row, label in enumerate(classes):
        sheet.text(70, 76 + HIGH * (row + 0.5) + 4, label.value, anchor="end")
        whole = sum(counts[row])
        for column, count in enumerate(counts[row]):
            _draw_cell(sheet, row, column, count, count / whole if whole else 0.0)
    sheet.note("Rows: true class. Columns: answer.")
    return sheet.render_svg()


def _draw_cell(sheet: SvgSheet, row: int, column: int, count: int, share: float) -> None:
    x, y = 80 + WIDE * column, 76 + HIGH * row
    fill = COLOURS[0] if row == column else COLOURS[1]
    shade = f'rx="3" fill-opacity="{0.08 + 0.52 * share:.2f}"'
    sheet.box(x + 2, y + 2, WIDE - 4, HIGH - 4, colour=fill, more=shade)
    sheet.text(x + WIDE / 2, y + HIGH / 2 + 1, str(count), anchor="middle", size=15)
    sheet.text(x + WIDE / 2, y + HIGH / 2 + 18, f"{share:.1%}", anchor="middle", size=11)
