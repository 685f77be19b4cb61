"""An English coding thread, played by a team: Chief plans, Dev builds, Tester sends back, Dev goes on."""

from datetime import timedelta

from governance.vocabulary import Phase, Risk
from greywind_site.demo.results import CUT_LINE, CUT_LINES, slow_client_log
from greywind_site.demo.stories import (
    Compile,
    Scene,
    ThreadText,
    Who,
    asks,
    calls,
    demands,
    returns,
    says,
    takes_back,
)
from sessions.context.vocabulary import Dialect
from sessions.lifecycle import ProviderWish
from sessions.vocabulary import InputType
from threads.vocabulary import ThreadType

THREAD = ThreadText(
    title="Stream the CSV export of the expense tracker",
    type=ThreadType.WORK,
    tags=("expense tracker", "export"),
    keywords=("CSV", "streaming", "memory", "encoding"),
    summary="The CSV export builds the whole file in memory; it is to stream rows, with the same bytes as before.",
    channel="chat:expense-export",
)
# A demand that was right when it was made, and that its author lifted when the facts had changed.
HANDS_OFF = "Leave the request time-out alone in this change; one thing at a time."
HARNESS = ProviderWish(harness="claude-code", external_id="5d0e6f1c-export-stream")

PLANNING = Scene(
    agent=Who.CHIEF,
    role="chief",
    ago=timedelta(hours=23, minutes=30),
    pace=timedelta(minutes=3),
    steps=(
        asks(
            "The CSV export of the expense tracker runs out of memory at about 80,000 rows. Make it stream the rows "
            "instead of building the whole file, and keep the output identical byte for byte."
        ),
        Compile(phase=Phase.PLAN, max_input_tokens=2_000),
        calls("read_file", "export/csv_writer.py"),
        returns(
            "read_file",
            "def export_csv(account):\n    rows = [to_row(item) for item in account.items.all()]\n"
            "    buffer = io.StringIO()\n    csv.writer(buffer).writerows([HEADER, *rows])\n"
            '    return HttpResponse(buffer.getvalue().encode("utf-8-sig"), content_type="text/csv")',
        ),
        says(
            "Three copies live at once: the row list, the text buffer and the encoded bytes. Two ways out. A temporary "
            "file keeps the view as it is but needs disk for every download. A generator over a server-side cursor "
            "removes all three copies and needs a golden file first, so that nobody has to trust me on the bytes. "
            "I recommend the generator."
        ),
        demands("Keep the byte order mark: the accountant's spreadsheet breaks every name without it."),
        demands(HANDS_OFF, by=Who.MAINTAINER),
        asks("The generator, then. No new dependency for it."),
        says(
            "Six tasks: golden files; the streaming writer; slow clients; memory at a million rows; help page and "
            "changelog; roll-out behind a switch. Dev starts with the golden files and takes the writer next."
        ),
    ),
)
PLANNED = "planned and handed to dev"

BUILDING = Scene(
    agent=Who.DEV,
    role="dev",
    ago=timedelta(hours=22),
    pace=timedelta(minutes=5),
    provider=HARNESS,
    steps=(
        asks("Go ahead: golden files first, then the writer. Tell me the peak memory before and after."),
        Compile(
            phase=Phase.EXECUTE,
            dialect=Dialect.ANTHROPIC_MESSAGES,
            profile="claude-sonnet@claude-code",
            max_input_tokens=4_000,
        ),
        says("I pin the present bytes with five golden files, one for each kind of account, and change nothing yet."),
        calls("shell", "pytest tests/golden -q"),
        returns("shell", "5 passed\nwritten: tests/golden/{en,zh,mixed,emoji,rtl}.csv"),
        calls("edit", "export/csv_writer.py: stream_rows() yields chunks of 500 encoded rows off a server-side cursor"),
        calls("shell", "pytest tests/golden tests/stream -q && python tools/peak.py --rows 100000"),
        returns("shell", "1 failed, 11 passed\nFAILED test_bytes[en]: line 1: byte order mark missing", failed=True),
        says("Each chunk is encoded with plain utf-8, so the mark got lost. I send it as a first chunk of its own."),
        calls("shell", "pytest tests/golden tests/stream -q && python tools/peak.py --rows 100000"),
        returns("shell", "12 passed\nrows=100000 peak_rss=61 MiB (before: 412 MiB)"),
        says(
            "Streaming works: 12 tests pass, and the peak at 100,000 rows is 61 MiB instead of 412. Not tried: a "
            "client that reads slowly. Over to tester."
        ),
    ),
)
BUILT = "the writer streams; handed to tester"

CHECKING = Scene(
    agent=Who.TESTER,
    role="tester",
    ago=timedelta(hours=4, minutes=30),
    pace=timedelta(minutes=4),
    steps=(
        Compile(
            phase=Phase.ACCEPT,
            risk=Risk.HIGH,
            text="Verify the streaming CSV export as it was handed over: whether the byte order mark and every golden "
            "file are kept, and what was not tried.",
            input_type=InputType.SYSTEM,
            max_input_tokens=1_500,
        ),
        says(
            "I take the writer as handed over. The author's 12 tests only say that the author's cases pass; I add "
            "slow readers, a reader that leaves half-way, and names in five scripts."
        ),
        calls("shell", "pytest tests -v --seed 20260311 --proxy-idle 30"),
        returns("shell", slow_client_log(), failed=True),
        calls("evidence_read", f"lines {CUT_LINE} to {CUT_LINE + CUT_LINES - 1} of the log above"),
        returns("evidence_read", "\n".join(slow_client_log().splitlines()[CUT_LINE : CUT_LINE + CUT_LINES])),
        says(
            "One of 312 fails, and it matters: a client that reads 16 KiB a second lets the server wait, the proxy "
            "sees 30 s without a byte and hangs up. The file ends in the middle of a row, the status is 200."
        ),
        asks("How would the accountant notice?", by=Who.MAINTAINER),
        says("She would not: the spreadsheet opens it, the last rows and the totals are simply not there."),
        demands("An export that was cut short must fail visibly: no 200 without the totals row.", by=Who.MAINTAINER),
        asks("Could this check run on the little model of the build machine? It takes 400 tokens.", by=Who.MAINTAINER),
        Compile(phase=Phase.ACCEPT, dialect=Dialect.TEXT, max_input_tokens=400, refused=True),
        says(
            "No, and the refusal says why: the role, the rules and your constraints alone need more than 400 tokens. "
            "Nothing was cut to make it fit; the shortfall is listed layer by layer. It stays on the larger model."
        ),
        says("Sent back: the writer must keep a slow connection alive, and say so when it cannot."),
    ),
)
CHECKED = "one failure, sent back to dev with the steps that repeat it"
SENT_BACK = "Slow clients get a file that ends in the middle of a row, with status 200"

MENDING = Scene(
    agent=Who.DEV,
    role="dev",
    ago=timedelta(hours=3, minutes=5),
    pace=timedelta(minutes=6),
    provider=HARNESS,
    steps=(
        Compile(
            phase=Phase.EXECUTE,
            dialect=Dialect.ANTHROPIC_MESSAGES,
            profile="claude-sonnet@claude-code",
            text="Resume the streaming writer: slow clients get a file without the totals row, and status 200.",
            input_type=InputType.SYSTEM,
            max_input_tokens=2_600,
        ),
        says(
            "Why it came back: slow clients get a file that ends in the middle of a row, with status 200. Smaller "
            "chunks keep bytes moving; the totals row has to tell a whole file from a cut one."
        ),
        demands("Whatever you do about slow clients, do not buffer more than one chunk."),
        takes_back(
            HANDS_OFF,
            "That rule was mine, and it is in the way now: slow clients are about time-outs. I lift it.",
            by=Who.MAINTAINER,
        ),
        calls("edit", "export/csv_writer.py: chunks of 50 rows; a reader slower than 10 s a chunk ends the response"),
        calls("shell", "pytest tests/slow -q --seed 20260311 --proxy-idle 30"),
        returns("shell", "41 passed, 1 failed\nFAILED test_leaves_half_way: cursor still open after 60 s", failed=True),
        says(
            "Slow readers get the whole file now. A reader that leaves half-way still holds the cursor for a minute: "
            "the generator is not closed. That is what I do next; then tester has it again."
        ),
    ),
)
RESUME_POINT = "export/csv_writer.py, stream_rows(): close the cursor in `finally`, then run tests/slow, same seed."
MENDED = "lunch; the cursor of a reader who leaves is still open"
