// The official inspector of MCP in its CLI mode, with the commands of docs/agents.md. It is installed by npm into a folder that git
// ignores.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DATA_METHODS } from "../../fixtures/data-services.ts";
import { PATIENT_UPSTREAMS } from "../../fixtures/patient-upstreams.ts";
import { ROOT } from "../../fixtures/root.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";

const VERSION = "2.12.0";
const FOLDER = join(ROOT, "build/tools", `mcp-inspector-${VERSION}`);
const PROGRAM = join(FOLDER, "node_modules/.bin/mcp-inspector");
const INSTALL_MS_MAX = 300_000;
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;

const directory = makeTemporaryDirectory();
let servers: SandboxGateway;
let key: string;

beforeAll(async () => {
  if (!existsSync(PROGRAM)) {
    mkdirSync(FOLDER, { recursive: true });
    const npm = [
      "install",
      "--silent",
      "--no-audit",
      "--no-fund",
      `--prefix=${FOLDER}`,
      `@modelcontextprotocol/inspector@${VERSION}`,
    ];
    execFileSync("npm", npm, { cwd: FOLDER, env: { ...process.env, PATH } });
  }
  servers = await startSandboxGateway(directory.path, PATIENT_UPSTREAMS);
  key = (await servers.gateway.makeCustomer(LARGEST_PLANS)).secret;
}, INSTALL_MS_MAX);
afterAll(async () => {
  await servers.close();
  directory.remove();
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the inspector's part of a shell's command line. */
function inspect(line: string, ownKey = key): Promise<Ended> {
  const shell = `inspector() { ${PROGRAM} "$@"; }; inspector ${line}`;
  const env = { PATH, KEY: ownKey, HOME: directory.path };
  return promisify(execFile)("sh", ["-c", shell], { cwd: directory.path, env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

const commandsOf = (page: string): readonly string[] =>
  Array.from(
    readFileSync(join(ROOT, page), "utf8").matchAll(/^npx @modelcontextprotocol\/inspector ((?:.*\\\n)*.*)$/gm),
    ([, line = ""]) => line.replaceAll("\\\n", " ").replaceAll("http://127.0.0.1:8080", servers.gateway.origin),
  );

test("the documented commands call a tool, and find no fault with the tools' schemas", async () => {
  const [list = "", call = ""] = commandsOf("docs/agents.md");
  const listed = await inspect(list);
  expect({ code: listed.code, err: listed.err }).toEqual({ code: 0, err: "" });
  const tools: readonly { readonly name: string }[] = JSON.parse(listed.out).tools;
  expect(tools.length).toBe(DATA_METHODS.filter(({ desc }) => desc.methodKind === "unary").length);
  const called = await inspect(call);
  expect({ code: called.code, err: called.err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(called.out)).toMatchObject({ structuredContent: { score: 250 } });
});

test("a refused call is distinguished from one without a valid key", async () => {
  const [, call = ""] = commandsOf("docs/agents.md");
  const refused = await inspect(call.replace("[1,1,5]", "[1,1,9]"));
  expect(JSON.parse(refused.out)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("dice[2]") }, { text: expect.stringContaining('"INVALID_ARGUMENT"') }],
  });
  // It treats 401 as a request to sign in.
  const { code, out, err } = await inspect(call, "qk_live_wrong");
  expect({ hasFailed: code !== 0, said: out + err }).toEqual({ hasFailed: true, said: expect.stringContaining("auth_required") });
});
