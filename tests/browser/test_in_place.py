"""Forms that answer in place: what was typed stays, and the focus goes to what is new or wrong."""

import pytest

from tests.browser.conftest import Demo, SignedIn, client_of

pytestmark = pytest.mark.slow
PREVIEW = "button[formaction*=preview]"


def test_the_effect_of_figures_is_shown_below_them(demo: Demo, signed_in: SignedIn) -> None:
    with signed_in(client_of(demo.account)) as seen:
        seen.open(f"{demo.page}budgets/default@conservative/propose")
        seen.page.fill("#id_title", "a smaller window")
        seen.page.fill("#id_model_window", "60000")
        with seen.page.expect_response("**/propose?preview"):
            seen.page.click(PREVIEW)
        seen.page.wait_for_selector("#effect-title:focus")
        kept = seen.page.input_value("#id_title"), seen.page.input_value("#id_model_window")
        found = seen.axe()
    assert (kept, found, seen.complaints) == (("a smaller window", "60000"), [], [])


def test_what_is_wrong_with_figures_has_the_focus(demo: Demo, signed_in: SignedIn) -> None:
    with signed_in(client_of(demo.account)) as seen:
        seen.open(f"{demo.page}budgets/default@conservative/propose")
        seen.page.fill("#id_reserves__output", "150000")
        seen.page.click(PREVIEW)
        seen.page.wait_for_selector("[data-faults]:focus")
        seen.page.fill("#id_reserves__output", "8000")
        seen.page.fill("#id_factor", "0.5")
        seen.page.click(PREVIEW)
        seen.page.wait_for_selector(".field-wrong #id_factor:focus")
        kept = seen.page.input_value("#id_factor")
    assert kept == "0.5"


def test_another_thread_brings_its_own_tasks(demo: Demo, signed_in: SignedIn) -> None:
    with signed_in(client_of(demo.account)) as seen:
        seen.open(f"{demo.page}playground/")
        seen.page.fill("#id_raw_text", "go on")
        thread = seen.page.get_attribute("#id_thread option:nth-child(2)", "value")
        seen.page.select_option("#id_thread", thread)
        seen.page.wait_for_selector("#id_task option:nth-child(2)", state="attached")
        seen.page.select_option("#id_task", index=1)
        seen.page.click("main button.btn-primary")
        seen.page.wait_for_selector("#tried")
        said, found = seen.page.input_value("#id_raw_text"), seen.axe()
    assert (said, found, seen.complaints) == ("go on", [], [])
