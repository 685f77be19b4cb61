"""Documents made from the code say what the code says."""

from greywind_site.documents import configuration, stale, states


def test_made_documents_are_fresh() -> None:
    assert [path.name for path in stale()] == []


def test_every_setting_says_what_it_is_for() -> None:
    assert "| None |" not in configuration()


def test_the_session_diagram_ends_with_the_handoff() -> None:
    assert "closed --> handoff_written" in states()
