"""HTML: style and script of the page."""

from __future__ import annotations

from textwrap import dedent

STYLE = dedent("""\
    :root { color-scheme: light dark; --back: #fff; --text: #1c2024; --soft: #667; --line: #d9dce1;
      --side: #f5f6f8; --blue: #0b57c2; --own: #fff3d1; --enter: #e4eefc; --hit: #ffd86b; }
    @media (prefers-color-scheme: dark) { :root:not(.light) { --back: #16181b; --text: #e4e6ea;
      --soft: #9aa0a8; --line: #33373d; --side: #1d2024; --blue: #8ab4f8; --own: #3d3413;
      --enter: #1d2d47; --hit: #7a5d00; } }
    :root.light { color-scheme: light; }
    :root.dark { color-scheme: dark; --back: #16181b; --text: #e4e6ea; --soft: #9aa0a8;
      --line: #33373d; --side: #1d2024; --blue: #8ab4f8; --own: #3d3413; --enter: #1d2d47;
      --hit: #7a5d00; }
    * { box-sizing: border-box; }
    body { margin: 0; display: grid; grid-template-columns: 16rem minmax(0, 1fr); height: 100vh;
      font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; color: var(--text);
      background: var(--back); }
    nav { background: var(--side); border-right: 1px solid var(--line); overflow-y: auto;
      padding: 1rem; }
    nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em;
      color: var(--soft); margin: 1.2rem 0 .3rem; }
    nav button { display: flex; justify-content: space-between; width: 100%; text-align: left;
      overflow-wrap: anywhere; }
    button { font: inherit; color: inherit; background: none; border: 0; border-radius: 5px;
      padding: .2rem .5rem; cursor: pointer; }
    button:hover, button.on { background: var(--enter); }
    button small { color: var(--soft); margin-left: .5rem; }
    input { width: 100%; font: inherit; color: inherit; background: var(--back);
      border: 1px solid var(--line); border-radius: 5px; padding: .35rem .5rem; }
    main { overflow-y: auto; padding: 1rem 2rem 8rem; }
    h1 { font-size: 1.4rem; margin: .2rem 0; overflow-wrap: anywhere; }
    main h2 { font-size: 1.1rem; border-bottom: 1px solid var(--line); margin: 2rem 0 .5rem; }
    h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 1rem;
      font-size: .85rem; color: var(--soft); }
    dd { margin: 0; overflow-wrap: anywhere; }
    .note { color: var(--soft); font-size: .85rem; margin: .7rem 0 .1rem; }
    .eq { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); padding: .15rem .3rem;
      border-radius: 5px; scroll-margin: 4rem; }
    .eq > div { overflow-x: auto; overflow-y: hidden; min-width: 0; padding: .1rem 0; }
    .eq .eq { grid-template-columns: 3.2rem minmax(0, 1fr); }
    .inner { border-left: 3px solid var(--line); margin: .3rem 0 .3rem .3rem;
      padding-left: .8rem; }
    .num { color: var(--soft); font-size: .8rem; padding-top: .25rem; }
    .row { display: inline-block; padding: .05rem .4rem; margin: .1rem .3rem .1rem 0;
      border: 1px solid var(--line); border-radius: 5px; scroll-margin: 4rem; }
    .row small { color: var(--soft); }
    math { font-size: 1.08em; }
    .matrix { border-left: 1.5px solid; border-right: 1.5px solid; border-radius: .7em;
      padding: 0 .2em; margin: .2em .15em; }
    .dots > mo { font-weight: bold; line-height: .3; }
    [data-n] { cursor: pointer; }
    [data-n]:hover { color: var(--blue); }
    .plain { display: none; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
      overflow-wrap: anywhere; }
    .text .plain { display: inline; }
    .text .pretty { display: none; }
    a { color: var(--blue); text-decoration: none; }
    .own { background: var(--own); }
    .enter { background: var(--enter); }
    .target { outline: 2px solid var(--blue); }
    .hit { background: var(--hit); border-radius: 3px; }
    .off { display: none !important; }
    #state { position: sticky; top: -1rem; background: var(--back); padding: .5rem 0; z-index: 1;
      color: var(--soft); font-size: .85rem; }
    #uses { position: fixed; right: 1rem; bottom: 1rem; width: 21rem; max-height: 45vh;
      overflow: auto; background: var(--side); border: 1px solid var(--line);
      border-radius: 8px; padding: .7rem 1rem; box-shadow: 0 4px 18px #0003; }
    #uses button { float: right; }
    #uses a { display: inline-block; margin-right: .5rem; }
    @media (max-width: 700px) { body { display: block; height: auto; }
      nav { max-height: 40vh; } main { padding: 1rem; } }
    @media print { nav, #uses, #state { display: none; } body { display: block; height: auto; } }
""")
"""Light or dark as the reader's system is, until told otherwise."""

SCRIPT = dedent("""\
    "use strict";
    const all = (what, where = document) => [...where.querySelectorAll(what)];
    const get = (id) => document.getElementById(id);
    const root = document.documentElement;
    const list = (row, key) => (row.dataset[key] || "").split(" ").filter(Boolean);
    const rows = all(".eq");
    const definition = new Map();
    const users = new Map();
    for (const row of all(".eq, .row")) {
      for (const n of list(row, "d")) definition.set(n, row);
      for (const n of list(row, "u")) {
        if (!users.has(n)) users.set(n, []);
        users.get(n).push(row);
      }
    }
    const words = new Map(rows.map((row) => [row, row.dataset.t.toLowerCase()]));
    let chosen = null;

    function names(kind, key) {
      if (kind === "c") return new Set(key.split(" "));
      const found = new Set();
      for (const row of rows)
        if (list(row, "b").includes(key)) list(row, "d").forEach((n) => found.add(n));
      return found;
    }
    function update() {
      const query = get("search").value.trim().toLowerCase();
      const [kind, key] = chosen ? [chosen.dataset.kind, chosen.dataset.key] : [null, ""];
      const wanted = kind ? names(kind, key) : null;
      let shown = 0, own = 0;
      for (const row of rows) {
        const mine = kind === "b" && list(row, "b").includes(key);
        const uses = wanted !== null && list(row, "u").some((n) => wanted.has(n));
        const fits = (!kind || mine || uses) && (!query || words.get(row).includes(query));
        row.classList.toggle("own", mine);
        row.classList.toggle("enter", uses && !mine);
        row.classList.toggle("off", !fits);
        shown += fits;
        own += fits && mine;
      }
      for (const row of rows) {
        if (!row.classList.contains("off")) {
          for (let up = row.parentElement.closest(".eq"); up; up = up.parentElement.closest(".eq"))
            up.classList.remove("off");
        }
      }
      const empty = (box) => !box.querySelector(".eq:not(.off)");
      for (const box of all(".part, .group, .section")) box.classList.toggle("off", empty(box));
      for (const button of all("nav button[data-kind]"))
        button.classList.toggle("on", button === chosen);
      const told = kind === "b" ? `${own} of the body, ${shown - own} it enters` : `${shown}`;
      get("head").classList.toggle("off", Boolean(kind || query));
      get("state").hidden = !kind && !query;
      get("told").textContent = `${told}, of ${rows.length} equations`;
    }
    function clear() {
      chosen = null;
      get("search").value = "";
      update();
    }
    function reveal(row) {
      if (row.classList.contains("off") || row.closest(".off")) clear();
      all(".target").forEach((other) => other.classList.remove("target"));
      row.classList.add("target");
      row.scrollIntoView({ block: "center" });
    }
    function follow(n) {
      const row = definition.get(n);
      if (!row) return;
      all(".hit").forEach((other) => other.classList.remove("hit"));
      all(`[data-n="${n}"]`).forEach((place) => place.classList.add("hit"));
      reveal(row);
      const name = all(`a[data-n="${n}"]`)[0];
      get("name").textContent = name ? name.textContent : "";
      const links = (users.get(n) || []).map((user) => {
        const link = document.createElement("a");
        link.href = "#" + user.id;
        link.textContent = user.dataset.no;
        link.onclick = (event) => { event.preventDefault(); reveal(user); };
        return link;
      });
      get("users").replaceChildren(...links);
      if (!links.length) get("users").textContent = "nowhere else";
      get("uses").hidden = false;
    }
    document.addEventListener("click", (event) => {
      const place = event.target.closest("[data-n]");
      if (place) {
        event.preventDefault();
        follow(place.dataset.n);
        return;
      }
      const button = event.target.closest("button[data-kind]");
      if (button) {
        chosen = chosen === button ? null : button;
        update();
        document.querySelector("main").scrollTo(0, 0);
      }
    });
    get("search").addEventListener("input", update);
    get("clear").addEventListener("click", clear);
    get("close").addEventListener("click", () => { get("uses").hidden = true; });
    get("text").addEventListener("click", () => root.classList.toggle("text"));
    get("theme").addEventListener("click", () => {
      const dark = root.classList.contains("dark") ||
        (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
      root.classList.toggle("dark", !dark);
      root.classList.toggle("light", dark);
    });
    if (typeof MathMLElement === "undefined") root.classList.add("text");
    if (location.hash.startsWith("#body=")) {
      const name = decodeURIComponent(location.hash.slice(6));
      all("nav button[data-kind]").find((button) => button.title === name)?.click();
    }
""")
"""Filter by body, coordinate and search; names lead to definitions and uses."""

TOOLS = """\
<input id="search" type="search" placeholder="Search" aria-label="Search">
<p><button id="theme">light / dark</button><button id="text">mathematics / text</button></p>
"""
STATE = '<div id="state" hidden><span id="told"></span> <button id="clear">show all</button></div>'
USES = (
    '<div id="uses" hidden><button id="close" aria-label="Close">×</button>'
    '<b id="name"></b> is used in<p id="users"></p></div>'
)
