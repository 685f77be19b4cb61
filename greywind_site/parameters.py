"""Parameters in an address that its call does not know are refused: a misspelt filter would ask for more than meant."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja.signature import ViewSignature

from governance.errors import FieldFault, Invalid
from governance.web import pointer

type View = Callable[..., HttpResponse]
CODE = "extra_forbidden"  # the same as for a field of a body
MOST_FAULTS = 20  # of one answer


def known_only(view: View) -> View:
    """Return a handler that refuses parameters which it does not take; an operation's decorator, after the key."""
    taken = _taken(view)

    @wraps(view)
    def strict(request: HttpRequest, **values: Any) -> HttpResponse:
        path = request.resolver_match.kwargs if request.resolver_match else {}
        check_parameters(request, taken - path.keys())
        return view(request, **values)

    return strict


def check_parameters(request: HttpRequest, taken: frozenset[str]) -> None:
    """Raise Invalid that names every parameter of the request that is not `taken`, and what is."""
    unknown = [name for name in request.GET if name not in taken]
    if not unknown:
        return
    remedy = f"it takes {', '.join(sorted(taken))}" if taken else "it takes none"
    message = f"this call knows no such parameter; {remedy}"
    raise Invalid.of(tuple(FieldFault(pointer(["query", name]), CODE, message) for name in unknown[:MOST_FAULTS]))


def _taken(view: View) -> frozenset[str]:
    """Return the names that a handler reads from the address; those of its path as well, which are told apart later."""
    models = ViewSignature("", view).models
    return frozenset(
        name for model in models if model.__ninja_param_source__ == "query" for name in model.__ninja_flatten_map__
    )
