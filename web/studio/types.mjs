// TypeScript types of the protocol, from the description of the interface that the server serves.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../../docs/reference/studio_openapi.json");
const out = join(here, "src/protocol/api.ts");
const { components: { schemas } } = JSON.parse(readFileSync(source, "utf8"));

const literal = (value) => JSON.stringify(value);

/** The type that a schema describes. */
function type(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(" | ");
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map(type).join(" | ");
  switch (schema.type) {
    case "string": return "string";
    case "integer":
    case "number": return "number";
    case "boolean": return "boolean";
    case "null": return "null";
    case "array": return `(${schema.items ? type(schema.items) : "unknown"})[]`;
    case "object": {
      const held = schema.additionalProperties;
      return `Record<string, ${typeof held === "object" ? type(held) : "unknown"}>`;
    }
    default: return "unknown";
  }
}

/** Messages that a page sends may leave out what has a default; answers have all fields. */
function fields(name, schema) {
  const sent = ["EditMessage", "RunMessage"].includes(name);
  const needed = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([field, held]) => {
    const mark = sent && !needed.has(field) ? "?" : "";
    return `  ${field}${mark}: ${type(held)};`;
  });
}

const parts = Object.entries(schemas).map(([name, schema]) => {
  const text = (schema.description ?? "").split("\n")[0];
  return `/** ${text} */\nexport interface ${name} {\n${fields(name, schema).join("\n")}\n}\n`;
});
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, `// Made by types.mjs from docs/reference/studio_openapi.json.\n\n${parts.join("\n")}`);
