// The page of the studio: what it shows are functions of the text that the server holds.

const GRID = 10; // pixels of a unit of the diagram's grid
const PAUSE = 400; // after typing, before the text is sent [ms]
const at = (id) => document.getElementById(id);
const state = { text: "", revision: -1, saved: true, run: 0, typing: 0, busy: Promise.resolve() };

async function ask(path, body, method) {
  const how = body === undefined ? { method: method ?? "GET" } : {
    method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" },
  };
  const answer = await fetch(path, how);
  const kind = answer.headers.get("content-type") ?? "";
  const said = kind.startsWith("application/json") ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Error(said.error ?? answer.statusText);
  return said;
}

function tell(text) {
  at("status").textContent = text;
}

// --- the text ---------------------------------------------------------------------------------

// Characters as the server counts them, which are not those of JavaScript outside of the first plane.
const count = (text) => [...text].length;

function difference(old, now) {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  // never in the middle of a pair that makes one character
  if (/[\uD800-\uDBFF]/.test(old[head - 1] ?? "")) head -= 1;
  if (/[\uDC00-\uDFFF]/.test(old[old.length - tail] ?? "")) tail -= 1;
  const start = count(old.slice(0, head));
  return ["splice", start, start + count(old.slice(head, old.length - tail)), now.slice(head, now.length - tail)];
}

function splice(text, change) {
  const signs = [...text];
  signs.splice(change.start, count(change.removed), ...change.put);
  return signs.join("");
}

function take(said) {
  if (said.text !== undefined) state.text = said.text;
  else if (said.splice) state.text = splice(state.text, said.splice);
  Object.assign(state, { revision: said.revision, saved: said.saved });
  const place = at("text").selectionStart;
  if (at("text").value !== state.text) {
    at("text").value = state.text;
    at("text").setSelectionRange(place, place);
  }
  at("file").textContent = `${said.file}${said.saved ? "" : " ●"}`;
  document.title = `${said.saved ? "" : "● "}${said.file} – kinetree studio`;
  at("save").disabled = said.saved;
  at("undo").disabled = said.undo === null;
  at("redo").disabled = said.redo === null;
  document.body.dataset.revision = said.revision;
}

// Requests that change the text go one after the other.
function change(path, body) {
  state.busy = state.busy.then(async () => {
    try {
      take(await ask(path, typeof body === "function" ? body() : body));
      tell("");
      await look();
    } catch (error) {
      tell(error.message);
      take(await ask("/api/document"));
    }
  });
  return state.busy;
}

const edit = (operations, label) =>
  change("/api/document/edit", () => ({ base: state.revision, operations, label }));

function sendText() {
  window.clearTimeout(state.typing);
  state.typing = 0;
  const now = at("text").value;
  if (now === state.text) return state.busy;
  const made = difference(state.text, now);
  state.text = now; // the answer has nothing new
  return change("/api/document/edit", () => ({ base: state.revision, operations: [made], label: "typed" }))
    .then(() => ask("/api/document")).then(take);
}

function typed() {
  window.clearTimeout(state.typing);
  state.typing = window.setTimeout(sendText, PAUSE);
}

async function verb(name) {
  if (state.typing) await sendText();
  await change(`/api/document/${name}`, {});
}

function goToLine(line) {
  if (!line) return;
  const lines = at("text").value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  at("text").focus();
  at("text").setSelectionRange(start, start + lines[line - 1].length);
  at("text").scrollTop = (line - 5) * 17;
}

function lineOf(section, name) {
  const lines = at("text").value.split("\n");
  const first = lines.findIndex((row) => row.startsWith(`${section}:`));
  const found = lines.findIndex((row, k) => k > first && row.trimStart().startsWith(`${name}:`));
  return first < 0 || found < 0 ? 0 : found + 1;
}

// --- what follows from the text -----------------------------------------------------------------

async function look() {
  const revision = state.revision;
  const [said, drawn] = await Promise.all([
    ask("/api/check"), ask("/api/diagram?plain").catch(() => null),
  ]);
  if (revision !== state.revision) return;
  showFindings(said);
  at("diagram").classList.toggle("stale", drawn === null);
  if (drawn !== null) showDiagram(drawn);
  document.body.dataset.checked = revision;
}

function showFindings(said) {
  const rows = Object.entries(said.loops).map(([name, value]) => `${name} ${value}`);
  at("loops").textContent = rows.join(" · ");
  at("findings").replaceChildren(...said.findings.map((row) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.textContent = `${row.element}: ${row.problem}; ${row.cure}.${row.line ? ` (line ${row.line})` : ""}`;
    button.className = row.severity;
    button.addEventListener("click", () => goToLine(row.line));
    item.append(button);
    return item;
  }));
  if (!said.findings.length) at("findings").textContent = "Nothing is wrong.";
}

function showDiagram(text) {
  const drawn = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const svg = document.importNode(drawn, true);
  for (const group of svg.querySelectorAll("g[data-path]")) hold(group);
  at("diagram").replaceChildren(svg);
}

// An element of the drawing: a click shows its line, a body can be dragged, or moved by the arrows.
function hold(group) {
  const [section, ...rest] = group.dataset.path.split(".");
  const name = rest.join(".");
  const box = section === "bodies" ? group.querySelector("rect") : null;
  const place = (dx, dy) => edit([["place", name,
    Math.round(Number(box.getAttribute("x")) / GRID + dx),
    Math.round((Number(box.getAttribute("y")) + 15) / GRID + dy)]], `move ${name}`);
  group.setAttribute("tabindex", "0");
  group.setAttribute("role", "button");
  group.setAttribute("aria-label", `${section} ${name}`);
  group.addEventListener("click", () => goToLine(lineOf(section, name)));
  group.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Enter") goToLine(lineOf(section, name));
    if (!box || !(event.key in steps)) return;
    event.preventDefault();
    place(...steps[event.key].map((x) => (event.shiftKey ? 10 * x : x)));
  });
  if (!box) return;
  group.addEventListener("pointerdown", (event) => {
    const begin = [event.clientX, event.clientY];
    group.setPointerCapture(event.pointerId);
    group.onpointermove = (move) => {
      group.setAttribute("transform", `translate(${move.clientX - begin[0]} ${move.clientY - begin[1]})`);
    };
    group.onpointerup = (end) => {
      group.onpointermove = group.onpointerup = null;
      const [dx, dy] = [(end.clientX - begin[0]) / GRID, (end.clientY - begin[1]) / GRID];
      if (Math.abs(dx) + Math.abs(dy) >= 1) place(dx, dy);
      else group.removeAttribute("transform");
    };
  });
}

// --- runs -----------------------------------------------------------------------------------------

async function startRun(event) {
  event.preventDefault();
  if (state.typing) await sendText();
  try {
    const job = await ask("/api/runs", { duration: Number(at("duration").value) });
    state.run = job.id;
    await listRuns();
    await follow(job.id);
  } catch (error) {
    tell(error.message);
  }
}

async function follow(id) {
  let job;
  do {
    job = await ask(`/api/runs/${id}`);
    tell(`run ${id}: ${job.state}${job.error ? `: ${job.error}` : ""}`);
    at("cancel").hidden = job.state !== "going";
    if (job.state === "going") await new Promise((done) => window.setTimeout(done, 200));
  } while (job.state === "going");
  await listRuns();
  if (job.state !== "failed") await showRun(id);
}

async function listRuns() {
  const { runs } = await ask("/api/runs");
  at("which").replaceChildren(...runs.map((job) => new Option(`${job.id}: ${job.options.duration} s, ${job.state}`, job.id)));
  if (state.run) at("which").value = state.run;
}

async function showRun(id) {
  state.run = id;
  const { signals } = await ask(`/api/runs/${id}/signals`);
  const before = at("signal").value;
  at("signal").replaceChildren(...signals.map((name) => new Option(name, name)));
  if (signals.includes(before)) at("signal").value = before;
  await showCurve();
  at("page").src = `/api/runs/${id}/page#panel=0`;
  at("page").hidden = false;
  document.body.dataset.run = id;
}

async function showCurve() {
  const name = at("signal").value;
  if (!state.run || !name) return;
  const said = await ask(`/api/runs/${state.run}/signals?name=${encodeURIComponent(name)}`);
  draw(at("plot"), said.time, said[name], name);
}

function draw(canvas, t, y, name) {
  const [wide, high] = [canvas.width = canvas.clientWidth, canvas.height = canvas.clientHeight];
  const pen = canvas.getContext("2d");
  const ink = getComputedStyle(document.body).color;
  const [low, top] = [Math.min(...y), Math.max(...y)];
  const X = (v) => 60 + (wide - 80) * (v - t[0]) / (t[t.length - 1] - t[0] || 1);
  const Y = (v) => high - 30 - (high - 50) * (v - low) / (top - low || 1);
  pen.clearRect(0, 0, wide, high);
  pen.fillStyle = pen.strokeStyle = ink;
  pen.font = "12px system-ui";
  pen.fillText(top.toPrecision(4), 2, 24);
  pen.fillText(low.toPrecision(4), 2, high - 28);
  pen.fillText(`${name}, ${t[0]} to ${t[t.length - 1].toPrecision(4)} s`, 60, high - 8);
  pen.strokeRect(60, 20, wide - 80, high - 50);
  pen.beginPath();
  t.forEach((v, k) => pen.lineTo(X(v), Y(y[k])));
  pen.strokeStyle = "#2563eb";
  pen.lineWidth = 1.5;
  pen.stroke();
  canvas.setAttribute("aria-label", `${name}: from ${y[0].toPrecision(4)} to ${y[y.length - 1].toPrecision(4)}`);
}

// --- the beginning --------------------------------------------------------------------------------

at("text").addEventListener("input", typed);
for (const name of ["save", "undo", "redo"]) at(name).addEventListener("click", () => verb(name));
at("run").addEventListener("submit", startRun);
at("which").addEventListener("change", () => showRun(Number(at("which").value)).catch((error) => tell(error.message)));
at("signal").addEventListener("change", showCurve);
at("cancel").addEventListener("click", () => ask(`/api/runs/${state.run}`, undefined, "DELETE"));
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  const name = { s: "save", y: "redo", z: event.shiftKey ? "redo" : "undo" }[key];
  if (name === undefined) return;
  event.preventDefault();
  verb(name);
});

take(await ask("/api/document"));
await look();
await listRuns();
