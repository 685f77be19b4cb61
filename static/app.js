// What plain HTML cannot do. Every page works without it.
(() => {
  "use strict";

  // A command or an id to copy: the button is there only where the clipboard is.
  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      say(button.dataset.done);
    } catch {
      getSelection().selectAllChildren(source);
      say(button.dataset.failed);
    }
  };

  // One polite voice for everything that changes without a new page.
  const say = (text) => {
    const voice = document.getElementById("voice");
    voice.textContent = "";
    setTimeout(() => { voice.textContent = text; }, 50);
  };

  const prepare = (root) => {
    root.querySelectorAll("button[data-copy]").forEach((button) => {
      button.hidden = !navigator.clipboard;
    });
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-copy]");
    if (button) copy(button);
  });

  // A second click on a slow form would send it twice.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
    setTimeout(() => { delete form.dataset.sent; }, 4000);
  });

  // In a list of rows j and k move between them; only while the focus is in the list, so that they type elsewhere.
  document.addEventListener("keydown", (event) => {
    const list = event.target.closest("[data-rows]");
    const step = { j: 1, k: -1 }[event.key];
    if (!list || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...list.querySelectorAll("[data-row]")];
    const here = rows.indexOf(event.target.closest("tr").querySelector("[data-row]"));
    rows[Math.min(Math.max(here + step, 0), rows.length - 1)].focus();
  });

  // Where a decision is taken the number keys mark a way, while the focus is in there and nobody types. They send nothing.
  document.addEventListener("keydown", (event) => {
    const desk = event.target.closest("[data-keys]");
    const types = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
    if (!desk || types || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return;
    const way = desk.querySelector(`[data-key="${event.key}"]:enabled`);
    if (way) { way.checked = true; way.focus(); }
  });

  // A form that came back with faults: the first field to put right has the focus.
  const wrong = () => document.querySelector(".field-wrong :is(input, select, textarea)");

  // After a part of the page was replaced: its heading takes the focus, or what is wrong with its form, and buttons in
  // it are made ready.
  document.addEventListener("htmx:after:swap", () => {
    prepare(document);
    const landed = document.querySelector("[data-land]") ?? wrong() ?? document.querySelector("[data-faults]");
    if (landed) landed.focus();
  });
  wrong()?.focus();

  addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach((form) => { delete form.dataset.sent; });
  });
  prepare(document);
})();
