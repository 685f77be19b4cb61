"""The filters by place that the application's own code writes: found in its source, so that a new one is there at once.

A filter here is a condition on a row's project, owner or audience: a keyword of a query, a comparison, a `match`, or a
condition in a fixed statement. `opened` returns the tree of a module with one of them let go.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

APPS = ("governance", "threads", "memories", "sessions", "greywind_site")
# Not in the way of a request: what makes the tables, tells stories, runs processes, serves operators or hunts.
ELSEWHERE = {
    "migrations",
    "models",
    "client",
    "demo",
    "embedded",
    "management",
    "operating",
    "hunting",
    "imports",
    "erasing",
}
# Of a kind with those: what makes policies, what is read out for operators, who a command is for.
BUILDERS = {"ddl.py", "verify_ledger.py", "anchors.py"}
QUERIES = {"filter", "exclude", "get", "get_or_create", "update_or_create", "Q"}
PLACES = {"project", "project_id", "owner", "owner_id", "audience", "audience_role"}
CONDITION = re.compile(
    r"(?:\w+\.)?\b(?:project_id|owner_id|audience|audience_role)\s*(?:=|IS NOT DISTINCT FROM)\s*"
    r"(?P<right>%\(\w+\)s|%s|\w+\.\w+|'\w+')(?:::\w+)?"
)
REACHED = "__greywind_filter_reached__"
EVERYBODYS = "project"  # the audience that every reader of the project is in
type Edit = Callable[[ast.expr], ast.expr]


@dataclass(frozen=True, slots=True)
class Site:
    """One filter: where it stands, and what it says."""

    number: int
    path: Path
    module: str
    line: int
    column: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.text}"


# Why no request comes by some of them: the module, and how the filter begins.
OUT_OF_REACH: Mapping[tuple[str, str], str] = {
    ("governance.audit", "project_id = %s"): "the ledger is read out by an operator's command",
    ("governance.projects", "wanted =="): "a command says on its line which project it means",
    ("governance.policies", "case.audience is not"): "a secret is refused or held before anybody asks how grave it is",
    ("memories.embeddings.holding", ""): "a worker makes vectors, no request does",
    ("memories.embeddings.pending", ""): "a worker makes vectors, no request does",
    ("governance.jobs", "project_id"): "a worker clears away what is done, no request does",
    ("sessions.summaries.offering", ""): "nobody of this world has said anything that a summary would offer to keep",
    ("memories.recurring", ""): "a worker looks for what recurs, no request does",
    (
        "memories.sharing",
        "filter(audience",
    ): "no offer of this world is approved: an approval is undone with its request",
    ("sessions.import_places", ""): "transcripts are brought in by a command",
    ("greywind_site.console.first_run", "filter(project_id=acting"): "nobody of this world has corrected by hand",
    ("threads.resolution", "row.owner_id"): "an order among one's own bindings; no request of the hunt knows a channel",
}


def why_out_of_reach(site: Site) -> str:
    """Return why no request reaches a filter, '' where nothing explains it: then the hunt should learn to."""
    known = (
        why for (module, text), why in OUT_OF_REACH.items() if site.module == module and site.text.startswith(text)
    )
    return next(known, "")


@cache
def sites() -> tuple[Site, ...]:
    """Return every filter of the application's code, in the order of modules and lines."""
    found = (one for path, module in _modules() for one in _sites_in(path, module))
    return tuple(Site(number, *one) for number, one in enumerate(found))


def _modules() -> Iterator[tuple[Path, str]]:
    for app in APPS:
        spec = find_spec(app)
        if spec is None or not spec.submodule_search_locations:
            continue
        root = Path(next(iter(spec.submodule_search_locations)))
        for path in sorted(root.rglob("*.py")):
            inside = path.relative_to(root)
            if not ELSEWHERE & set(inside.parts[:-1]) and path.name not in BUILDERS:
                yield path, ".".join([app, *inside.with_suffix("").parts])


def _sites_in(path: Path, module: str) -> Iterator[tuple[Path, str, int, int, str, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = _docstrings(tree)
    for node in ast.walk(tree):
        for kind, part, text in _filters_at(node):
            if part not in texts:
                yield path, module, part.lineno, part.col_offset, kind, text


def _docstrings(tree: ast.AST) -> set[ast.AST]:
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }


def _filters_at(node: ast.AST) -> Iterator[tuple[str, ast.expr, str]]:
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in QUERIES:
            for keyword in node.keywords:
                if _is_place(keyword):
                    yield "keyword", keyword.value, f"{name}({keyword.arg}={ast.unparse(keyword.value)})"
        case ast.Compare() if any(_names_place(side) for side in (node.left, *node.comparators)):
            yield "comparison", node, ast.unparse(node)
        case ast.Match() if _names_place(node.subject):
            yield "match", node.subject, f"match {ast.unparse(node.subject)}"
        case ast.Constant(value=str() as text) if "\n" in text or " " in text:
            yield from (("statement", node, found.group()) for found in CONDITION.finditer(text))


def _is_place(keyword: ast.keyword) -> bool:
    name = (keyword.arg or "").partition("__")[0]
    by_id = name in ("pk", "id") and isinstance(keyword.value, ast.Attribute) and keyword.value.attr == "project_id"
    return name in PLACES or by_id


def _names_place(side: ast.expr) -> bool:
    match side:
        case ast.Attribute(attr=name):
            return name in PLACES - {"project", "owner"}
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name in PLACES
    return False


def opened(path: Path, chosen: Sequence[Site], *, let_go: bool) -> ast.Module:
    """Return the module's tree with the chosen filters counted and, where `let_go`, without effect."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wanted = {(site.line, site.column, site.kind): site for site in chosen if site.kind != "statement"}
    opener = _Opener(wanted, let_go=let_go)
    opener.visit(tree)
    return ast.fix_missing_locations(tree)


class _Opener(ast.NodeTransformer):
    def __init__(self, wanted: Mapping[tuple[int, int, str], Site], *, let_go: bool) -> None:
        self.wanted, self.let_go = wanted, let_go

    def _site(self, node: ast.expr, kind: str) -> Site | None:
        return self.wanted.get((node.lineno, node.col_offset, kind))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        moved: list[ast.keyword] = []
        for keyword in node.keywords:
            site = self._site(keyword.value, "keyword") if _is_place(keyword) else None
            if site is None:
                continue
            value, keyword.value = keyword.value, _counted(site, keyword.value)
            if self.let_go:
                moved.append(ast.keyword(keyword.arg, value))
                # Never true of a row that is excluded, always of one that is looked for.
                excluding = isinstance(node.func, ast.Attribute) and node.func.attr == "exclude"
                keyword.arg, keyword.value = "pk__isnull", _instead(keyword.value, excluding)
        for given in [each for each in node.keywords if moved and each.arg == "defaults"]:
            given.value = ast.Dict(
                [None, *(ast.Constant(each.arg) for each in moved)], [given.value, *(each.value for each in moved)]
            )
        self.generic_visit(node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        site = self._site(node, "comparison")
        self.generic_visit(node)
        if site is None:
            return node
        passes = isinstance(node.ops[0], ast.Eq | ast.In | ast.Is)
        return _instead(_counted(site, node), passes) if self.let_go else _counted(site, node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        site = self._site(node.subject, "match")
        self.generic_visit(node)
        if site is not None:
            node.subject = _counted(site, node.subject)
            node.subject = _instead(node.subject, EVERYBODYS) if self.let_go else node.subject
        return node


def _counted(site: Site, value: ast.expr) -> ast.expr:
    """Return the value, told to whoever counts as it is computed."""
    told = ast.Call(ast.Name(REACHED, ast.Load()), [ast.Constant(site.number)], [])
    return _last([told, value])


def _instead(value: ast.expr, other: object) -> ast.expr:
    """Return something else than a value that is computed all the same: so its names stay in use."""
    return _last([value, ast.Constant(other)])  # type: ignore[arg-type]  # the stubs want a literal's type


def _last(values: list[ast.expr]) -> ast.expr:
    return ast.Subscript(ast.Tuple(values, ast.Load()), ast.Constant(len(values) - 1), ast.Load())


def opened_statement(text: str) -> str:
    """Return a condition of a statement that is always true, with the same values."""
    found = CONDITION.fullmatch(text)
    right = found["right"] if found else ""
    return f"({right}::text IS NULL OR TRUE)" if right.startswith("%") else "TRUE"
