// One file with our code, three.js and the style sheet, for pages that need no server.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../../src/kinetree/view/bundle/viewer.js");
const license = (name) => readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();

await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  loader: { ".css": "text" },
  banner: {
    js: ["three", "fflate"].map((name) => `/*! ${name}\n${license(name)}\n*/`).join("\n"),
  },
  outfile: out,
});
