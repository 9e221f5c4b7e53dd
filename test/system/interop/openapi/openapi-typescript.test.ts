// The types that openapi-typescript makes, and calls that are checked against them and made with openapi-fetch.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../fixtures/root.ts";
import { clientSuite } from "./client-suite.ts";
import type { ClientOperation } from "./operations.ts";

const PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"];
const COMPILER = [
  "--ignoreConfig",
  "--strict",
  "--noEmit",
  "--target",
  "esnext",
  "--module",
  "nodenext",
  "--allowImportingTsExtensions",
];

clientSuite({
  name: "openapi-typescript",
  async build({ folder, operations, run }) {
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    await run("npm", ["install", "--silent", "--no-audit", "--no-fund", ...PACKAGES]);
    await run("node_modules/.bin/openapi-typescript", ["openapi.json", "--output", "schema.ts"]);
    writeFileSync(join(folder, "call.ts"), program(operations));
    const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    await run(join(ROOT, "node_modules/.bin/tsc"), [...COMPILER, ...types, "call.ts"]);
    return [process.execPath, join(folder, "call.ts")];
  },
});

// One call for each operation, written out: the types are there only for the compiler.
const program = (operations: readonly ClientOperation[]): string => `import createClient from "openapi-fetch";
import type { paths } from "./schema.ts";

const { QUINTET_URL: baseUrl = "", QUINTET_KEY: key = "" } = process.env;
const { GET, POST } = createClient<paths>({ baseUrl, headers: { "x-gateway-key": key } });

async function print(operationId: string, { data, error }: { data?: unknown; error?: unknown }): Promise<void> {
  const result = data instanceof ReadableStream ? await firstLine(data) : data;
  process.stdout.write(JSON.stringify({ operationId, result, error }) + "\\n");
}

async function firstLine(body: ReadableStream): Promise<unknown> {
  let line = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    line += part;
    if (line.includes("\\n")) {
      break;
    }
  }
  return JSON.parse(line.split("\\n")[0] ?? "");
}

${operations.map(callOf).join("\n")}
`;

function callOf({ operationId, verb, path, input, hasBody, isStream }: ClientOperation): string {
  const given = JSON.stringify(input);
  const members = [
    ...(hasBody ? [`body: ${given}`] : []),
    // Where there are no parameters, the types have no place for them.
    ...(!hasBody && given !== "{}" ? [`params: { query: ${given} }`] : []),
    ...(isStream ? ['parseAs: "stream"'] : []),
  ];
  return `await print("${operationId}", await ${verb.toUpperCase()}("${path}", { ${members.join(", ")} }));`;
}
