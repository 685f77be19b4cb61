"""What the team wrote down about the CSV export: tasks, intent, handoffs, summaries and what was learnt."""

from governance.vocabulary import Phase, Risk
from greywind_site.demo.results import CAUSE, CUT_LINE, CUT_LINES
from greywind_site.demo.stories import (
    Cite,
    HandoffText,
    MemoryText,
    Opinion,
    Refusal,
    SummaryText,
    TaskText,
    VisionText,
    Who,
)
from memories.vocabulary import FeedbackKind, MemoryKind, MemoryType
from memories.writes import ClaimWish
from sessions.context.vocabulary import SummarySection

TASKS = (
    TaskText(
        title="Pin the present output with golden files",
        brief="Five accounts, one for each script that customers write in; compared byte for byte.",
        phase=Phase.EXECUTE,
        risk=Risk.LOW,
    ),
    TaskText(
        title="Stream rows through a server-side cursor",
        brief="No list, no buffer, no whole file in memory. Done when the golden files match and slow readers get all.",
        phase=Phase.EXECUTE,
        risk=Risk.MEDIUM,
        next_steps=(
            "Close the cursor of a reader who leaves half-way, in `finally`",
            "Run tests/slow with seed 20260311 again, then tests/golden",
            "Hand to tester with the two results",
        ),
        depends_on=(0,),
    ),
    TaskText(
        title="Agree with hosting on the proxy's idle limit",
        brief="30 s today. Either it goes up for downloads, or the export never pauses that long.",
        phase=Phase.PLAN,
        risk=Risk.MEDIUM,
        next_steps=("Waiting for hosting's answer; ask again on the first working day after 2026-03-13",),
        depends_on=(0,),
    ),
    TaskText(
        title="Measure memory at one million rows",
        brief="tools/peak.py --rows 1000000 on the smallest machine we run; the peak must stay below 100 MiB.",
        phase=Phase.ACCEPT,
        risk=Risk.LOW,
        next_steps=("Fill an account with a million rows from the generator", "Three runs, report the highest"),
        depends_on=(0,),
    ),
    TaskText(
        title="Help page and changelog entry",
        brief="Say what changes for people: large accounts can export again, and a cut file is recognisable.",
        phase=Phase.PLAN,
        risk=Risk.LOW,
        depends_on=(1,),
    ),
    TaskText(
        title="Roll out behind a switch, ten accounts first",
        brief="Ten accounts for two days, then everybody. Roll back when a single file differs from its golden file.",
        phase=Phase.EXECUTE,
        risk=Risk.HIGH,
        depends_on=(1, 2, 3),
    ),
)
MOVED = "as planned with the owner"
WAITING = "waiting for hosting's answer on the idle limit"

VISION = VisionText(
    done_when=(
        "An export of 1,000,000 rows stays below 100 MiB of memory",
        "Every golden file is identical, byte for byte",
        "A client of 16 KiB a second gets the whole file",
    ),
    non_goals=("No other file formats", "No background jobs or mailed links"),
    user_priorities=("The right bytes", "Failing visibly", "Speed last"),
    quality_bar="Every claim about memory or bytes names the command that shows it.",
)

TO_DEV = HandoffText(
    summary="Plan agreed: a generator over a server-side cursor, golden files first. No new dependency.",
    unfinished_items=("Golden files", "Streaming writer", "Slow clients", "One million rows", "Help page", "Roll-out"),
    risks=("The byte order mark is easily lost when chunks are encoded one by one",),
    resume_suggestion="Write tests/golden before touching export/csv_writer.py, so that the first diff proves itself.",
    next_actor="dev",
    pinned=(1, 5),
)
TO_TESTER = HandoffText(
    summary="The writer streams: 12 tests pass, peak 61 MiB at 100,000 rows (before: 412 MiB).",
    unfinished_items=("Slow clients: not tried", "One million rows: not measured"),
    risks=("The response has no length any more: a cut file may look whole",),
    resume_suggestion="Run the whole suite with a proxy that hangs up after 30 s, and a reader of 16 KiB a second.",
    next_actor="tester",
    pinned=(10, 11),
)
BACK_TO_DEV = HandoffText(
    summary="Sent back: 311 of 312 pass. With a client of 16 KiB a second the proxy hangs up after 30 s without a "
    "byte; the file ends in the middle of a row and the status is 200.",
    unfinished_items=("Keep a slow connection alive", "Make a cut export fail visibly", "A reader who leaves half-way"),
    risks=("Smaller chunks cost speed: measure before and after",),
    resume_suggestion="Repeat it with `pytest tests/slow --seed 20260311 --proxy-idle 30`; the cause is in the log.",
    next_actor="dev",
    pinned=(3, 5),
)

_IN_THE_LOG = Cite(seq=3, lines=(CUT_LINE, CUT_LINES), quote=CAUSE)
_STREAMS = "Rows are streamed from a server-side cursor; the byte order mark is a chunk of its own."
BUILT_SUMMARY = SummaryText(
    trigger="handoff",
    sections={
        SummarySection.CONSTRAINTS: (
            "Keep the byte order mark: the accountant's spreadsheet breaks every name without it.",
        ),
        SummarySection.CONCLUSIONS: (_STREAMS,),
        SummarySection.VERIFICATION: (
            "tests/golden and tests/stream: 12 passed (passed).",
            "Peak at 100,000 rows: 61 MiB (passed).",
            "Slow clients: unverified.",
        ),
        SummarySection.OPEN_QUESTIONS: ("Does the proxy wait for a slow client?",),
        SummarySection.NEXT_STEPS: ("Tester runs the whole suite with slow readers",),
    },
    evidence=((7, "the byte order mark was lost"), (10, "12 passed, 61 MiB at the peak")),
)
MENDED_SUMMARY = SummaryText(
    sections={
        SummarySection.CONSTRAINTS: (
            "Keep the byte order mark: the accountant's spreadsheet breaks every name without it.",
            "An export that was cut short must fail visibly: no 200 without the totals row.",
            "Whatever you do about slow clients, do not buffer more than one chunk.",
        ),
        SummarySection.CONCLUSIONS: (_STREAMS, "Chunks of 50 rows keep the proxy from hanging up on slow readers."),
        SummarySection.VERIFICATION: (
            "tests/slow with seed 20260311: 41 passed, 1 failed (failed): a reader who leaves half-way.",
            "tests/golden after the change to chunks of 50: unverified.",
        ),
        SummarySection.OPEN_QUESTIONS: ("What do chunks of 50 rows cost in speed?",),
        SummarySection.DISSENT: ("Tester would rather send the totals row as a trailer; the maintainer has not said.",),
        SummarySection.NEXT_STEPS: ("Close the cursor in `finally`", "Run tests/slow and tests/golden again"),
    },
    evidence=((10, "12 passed, 61 MiB at the peak"), (17, "slow readers pass, leaving half-way fails")),
)


def _chunked(rows: str) -> ClaimWish:
    return ClaimWish(subject="CSV export", attribute="chunk size", value=rows, unit="rows")


BUILT_MEMORIES = (
    MemoryText(
        by=Who.DEV,
        content="When an export starts to stream, encode the byte order mark as a chunk of its own: encoding "
        "each chunk with plain utf-8 drops it, and only a golden file of the whole CSV output shows that.",
        cites=(Cite(seq=7), Cite(seq=10)),
        importance=0.6,
        confidence=0.8,
        admitted_by=Who.OWNER,
        opinions=(
            Opinion(
                by=Who.TESTER,
                kind=FeedbackKind.USEFUL,
                note="It told me which bytes to compare before I looked at slow readers.",
            ),
        ),
    ),
    MemoryText(
        by=Who.OWNER,
        content="Next to every number that is reported, name the command that shows it.",
        cites=(Cite(seq=1),),
        kind=MemoryKind.SOP,
        type=MemoryType.PREFERENCE,
        importance=0.6,
        everywhere=True,
        admitted_by=Who.OWNER,
    ),
    # Held: a change to the first one, which a human has to compare with it.
    MemoryText(
        by=Who.CHIEF,
        content="When an export starts to stream, send the byte order mark as a chunk of its own and count it in the "
        "golden file: encoding each chunk with plain utf-8 drops it, and only a comparison of the whole file shows it.",
        cites=(Cite(seq=7),),
        importance=0.6,
        confidence=0.7,
        corrects=0,
        reason="说得更准一些 · says more exactly what to compare",
    ),
    MemoryText(
        by=Who.DEV,
        content="The chunk size of the CSV export is 500 rows.",
        cites=(Cite(seq=10, quote="12 passed"),),
        kind=MemoryKind.FACT,
        type=MemoryType.SEMANTIC,
        importance=0.5,
        confidence=0.9,
        claims=(_chunked("500"),),
        admitted_by=Who.OWNER,
    ),
)
CHECKED_MEMORIES = (
    MemoryText(
        by=Who.MAINTAINER,
        content="Decision: a CSV export that was cut short fails visibly. No 200 without the totals row, whatever the "
        "cause, because the accountant cannot see that rows are missing.",
        cites=(Cite(seq=6), Cite(seq=9)),
        kind=MemoryKind.DECISION,
        type=MemoryType.SEMANTIC,
        importance=0.9,
        admitted_by=Who.MAINTAINER,
    ),
    MemoryText(
        by=Who.TESTER,
        content="The hosting proxy closes a download after 30 s without a byte. Seen with a client of 16 KiB a second.",
        cites=(_IN_THE_LOG,),
        kind=MemoryKind.FACT,
        type=MemoryType.SEMANTIC,
        importance=0.7,
        confidence=0.95,
        from_tool=True,
        admitted_by=Who.MAINTAINER,
    ),
    # Refused by a human, who says what would change that.
    MemoryText(
        by=Who.TESTER,
        content="The exports of large accounts may be mailed as a link when the connection is slow.",
        cites=(_IN_THE_LOG,),
        importance=0.4,
        confidence=0.4,
        refused=Refusal(
            by=Who.OWNER,
            because="Mailed links are out of scope for this change.",
            missing="a decision of the owner that takes mailed links into scope",
        ),
    ),
    # Held: it says what a role may do, and that is for a human to say.
    MemoryText(
        by=Who.TESTER,
        content="Tester is allowed to raise the proxy's idle limit during a test run.",
        cites=(_IN_THE_LOG,),
        importance=0.5,
        confidence=0.6,
    ),
    # Held: nobody has read its evidence yet.
    MemoryText(
        by=Who.TESTER,
        content="Test every download with a client that is slower than the proxy's idle limit, and with one that "
        "leaves half-way; a suite without a proxy in front passes and proves nothing.",
        cites=(_IN_THE_LOG, Cite(seq=6)),
        importance=0.7,
        confidence=0.85,
    ),
)
# It says otherwise than what was learnt before, from a source of the same weight: a conflict for a human.
MENDED_MEMORIES = (
    MemoryText(
        by=Who.DEV,
        content="The chunk size of the CSV export is 50 rows: slow readers get the whole file only with small chunks.",
        cites=(Cite(seq=17, quote="41 passed, 1 failed"),),
        kind=MemoryKind.FACT,
        type=MemoryType.SEMANTIC,
        importance=0.5,
        confidence=0.8,
        claims=(_chunked("50"),),
    ),
)
