"""Lists taken out of the console: JSONL or CSV of what is shown, in short reads of the reader's own scope.

An answer is streamed part by part, and no transaction waits for whoever reads slowly. It holds at most `MOST` rows; one
that was cut says so in its file's name.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from itertools import batched
from typing import Any

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

MOST, PART = 10_000, 500
BOM = "\ufeff"  # by which a spreadsheet knows that this is UTF-8
# A spreadsheet takes a cell that begins with one of these for a formula; what others wrote is never one.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

type Row = Mapping[str, Any]
# Returns the rows that follow the one that is given, at most so many; None stands for the beginning.
type Read = Callable[[Row | None, int], Sequence[Row]]


class As(StrEnum):
    """What an export is written as."""

    JSONL = "jsonl"
    CSV = "csv"


TYPES: Mapping[As, str] = {As.JSONL: "application/jsonl; charset=utf-8", As.CSV: "text/csv; charset=utf-8"}


def export_asked(request: HttpRequest) -> As | None:
    """Return what the address asks to export as (`?as=`), or None for the page."""
    wanted = request.GET.get("as", "")
    return As(wanted) if wanted in set(As) else None


def exports_at(query: str) -> dict[str, str]:
    """Return the address of each export of a list whose filters are `query`, with or without its question mark."""
    filters = query.removeprefix("?")
    return {form.value: f"?{filters}&as={form}" if filters else f"?as={form}" for form in As}


def as_file(content: bytes | str, name: str, content_type: str) -> HttpResponse:
    """Return content that is there whole as a file called `name`."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)


def exported(name: str, form: As, columns: Sequence[str], read: Read, *, cut: bool) -> StreamingHttpResponse:
    """Return a list as a file called `name`; a row has the values of `columns`. `cut` says that there are over MOST."""
    return _streamed(name, form, columns, _rows(read(None, PART), read), cut=cut)


def exported_list(
    name: str, form: As, columns: Sequence[str], rows: Sequence[Row], *, cut: bool
) -> StreamingHttpResponse:
    """Return a list that is read already as a file."""
    return _streamed(name, form, columns, batched(rows[:MOST], PART), cut=cut or len(rows) > MOST)


def exported_rows[M: Model](
    name: str,
    form: As,
    columns: Sequence[str],
    rows: QuerySet[M],
    *,
    told: Callable[[M], Row],
    scope: Callable[[], AbstractContextManager[Any]],
    by: str = "created_at",
) -> StreamingHttpResponse:
    """Return the rows of a list as a file, newest by (`by`, id) first, as `told` says them.

    Runs inside an open scope; `scope` opens the one in which each further part is read.
    """

    def read(after: Row | None, most: int) -> list[dict[str, Any]]:
        with scope():
            part = rows.order_by(f"-{by}", "-id")
            if after:
                at, pk = after["_at"], after["_pk"]
                part = part.filter(Q(**{f"{by}__lt": at}) | Q(**{by: at, "id__lt": pk}))
            return [{**told(row), "_at": getattr(row, by), "_pk": row.pk} for row in part[:most]]

    return exported(name, form, columns, read, cut=rows[MOST : MOST + 1].exists())


def _streamed(
    name: str, form: As, columns: Sequence[str], parts: Iterable[Sequence[Row]], *, cut: bool
) -> StreamingHttpResponse:
    titled = f"{name}-first-{MOST}.{form}" if cut else f"{name}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{titled}"'}
    return StreamingHttpResponse(_written(form, columns, parts), content_type=TYPES[form], headers=headers)


def _rows(first: Sequence[Row], read: Read) -> Iterator[Sequence[Row]]:
    part, left = first, MOST
    while part:
        yield part
        left -= len(part)
        part = read(part[-1], min(PART, left)) if left > 0 and len(part) == PART else ()


def _written(form: As, columns: Sequence[str], parts: Iterable[Sequence[Row]]) -> Iterator[str]:
    if form is As.JSONL:
        for part in parts:
            yield "".join(json.dumps({name: row.get(name) for name in columns}, **COMPACT) + "\n" for row in part)
        return
    yield BOM + _lines([columns])
    for part in parts:
        yield _lines([_cell(row.get(name)) for name in columns] for row in part)


COMPACT: Mapping[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}


def _lines(rows: Iterable[Sequence[str]]) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\r\n").writerows(rows)
    return target.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, **COMPACT)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA) else text
