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
  const told = kind === "b" ? `${own} of the body, ${shown - own} it enters; ` : `${shown} of `;
  get("head").classList.toggle("off", Boolean(kind || query));
  get("state").hidden = !kind && !query;
  get("told").textContent = `${told}${rows.length} equations${kind === "b" ? " in all" : ""}`;
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
