"""An English coding thread: an export that no longer holds everything in memory."""

from datetime import timedelta

from greywind_site.demo.stories import LessonText, Scene, ThreadText, asks, calls, demands, returns, says
from threads.vocabulary import ThreadType

THREAD = ThreadText(
    title="Stream the CSV export of the expense tracker",
    type=ThreadType.WORK,
    tags=("expense tracker", "export"),
    keywords=("CSV", "streaming", "memory", "encoding"),
    summary="The CSV export builds the whole file in memory; it is to stream rows, with the same bytes as before.",
)

CODING = Scene(
    role="dev",
    ago=timedelta(hours=22),
    pace=timedelta(minutes=6),
    lines=(
        asks(
            "The CSV export of the expense tracker runs out of memory at about 80,000 rows. Make it stream the rows "
            "instead of building the whole file, and keep the output identical byte for byte."
        ),
        says(
            "I will pin the present output with a golden file first, then change the writer. "
            "Reading export/csv_writer.py to see where the rows pile up."
        ),
        calls("read_file", "export/csv_writer.py"),
        returns(
            "read_file",
            "def export_csv(account):\n    rows = [to_row(item) for item in account.items.all()]\n"
            "    buffer = io.StringIO()\n    csv.writer(buffer).writerows([HEADER, *rows])\n"
            '    return HttpResponse(buffer.getvalue().encode("utf-8-sig"), content_type="text/csv")',
        ),
        says(
            "Three copies live at once: the row list, the text buffer and the encoded bytes. "
            "A generator over a server-side cursor removes all three; the byte order mark is sent once, in front."
        ),
        demands("Keep the byte order mark: the accountant opens these files in Excel, where names break without it."),
        calls("shell", "pytest tests/export -q && python tools/peak.py --rows 100000"),
        returns("shell", "1 failed, 11 passed\nFAILED test_golden_bytes: line 1: BOM missing", failed=True),
        says("Each chunk is encoded with plain utf-8, so the mark got lost. I send it as a first chunk of its own."),
        calls("shell", "pytest tests/export -q && python tools/peak.py --rows 100000"),
        returns("shell", "12 passed\nrows=100000 peak_rss=61 MiB (before: 412 MiB)"),
        says(
            "Streaming works: 12 tests pass, 61 MiB at the peak instead of 412 at 100,000 rows. "
            "Left to do: the request time-out for slow clients, and a note in the changelog."
        ),
    ),
)
PAUSED = "the export streams; time-out for slow clients and changelog are left"

LESSONS = (
    LessonText(
        content="When an export starts to stream, encode the byte order mark as a chunk of its own: encoding "
        "each chunk with plain utf-8 drops it, and only a golden file of the whole CSV output shows that.",
        evidence=(8, 11),
        importance=0.6,
    ),
)
