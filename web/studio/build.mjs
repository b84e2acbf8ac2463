// The front end of the studio: a first file with shell, tree, diagram and panel; the rest when it is wanted.
import { build } from "esbuild";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../../src/kinetree/studio/bundle");
const most = 500_000; // bytes, compressed, before the first paint
const packages = ["react", "react-dom", "@xyflow/react", "zustand", "three", "fflate", "uplot", "@codemirror/view"];
const license = (name) => {
  const at = join(here, "node_modules", name);
  const file = readdirSync(at).find((entry) => /^licen[cs]e/i.test(entry));
  return file ? readFileSync(join(at, file), "utf8").trim() : "";
};

const licenses = packages.map((name) => `${name}\n\n${license(name)}\n`).join("\n\n");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "LICENSES.txt"), licenses);
const { metafile } = await build({
  entryPoints: { studio: join(here, "src/main.tsx") },
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  chunkNames: "[name]-[hash]",
  outdir: out,
  metafile: true,
});

await build({
  entryPoints: { "live-worker": join(here, "src/live/worker.ts") },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  outdir: out,
});

/** What a file brings along at once. */
function first(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const rows = metafile.outputs[name].imports.filter((row) => row.kind === "import-statement");
  for (const row of rows) first(row.path, found);
  return found;
}
const names = Object.keys(metafile.outputs);
const begin = names.filter((name) => /(studio\.js|studio\.css|View3d-\w+\.js)$/.test(name));
const wanted = new Set(begin.flatMap((name) => [...first(name)]));

// the page asks for all of them at once, not for one after the other as they name each other
const early = [...wanted].filter((name) => name.endsWith(".js")).map((name) => `<link rel="modulepreload" href="/${basename(name)}">\n`);
const page = readFileSync(join(here, "../../src/kinetree/studio/page/index.html"), "utf8");
writeFileSync(join(out, "index.html"), page.replace("</head>", `${early.join("")}</head>`));
const size = [...wanted].reduce((sum, name) => sum + gzipSync(readFileSync(name)).length, 0);
console.log(`studio: ${Math.round(size / 1000)} KB compressed before the first paint, in ${wanted.size} files`);
if (size > most) throw new Error(`the first paint needs ${size} bytes, more than ${most}`);
