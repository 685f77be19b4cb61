"""Hostile texts at random, of the pieces that the hunt over the compiler throws."""

from hypothesis import strategies as st

from greywind_site.hunting.compiles.texts import HOSTILE, PROSE

TEXTS = st.lists(
    st.sampled_from([piece for family in (*PROSE.values(), *HOSTILE.values()) for piece in family]), max_size=12
).map("".join)
