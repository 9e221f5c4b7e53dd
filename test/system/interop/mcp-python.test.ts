// MCP's official client for Python, which refuses a result that does not fit the schema of its tool's output.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operationIdOf } from "../../../scripts/openapi/recorded-calls.ts";
import { pythonEnvironment } from "../../../scripts/python-environment.ts";
import { DATA_METHODS } from "../../fixtures/data-services.ts";
import { PATIENT_UPSTREAMS } from "../../fixtures/patient-upstreams.ts";
import { sampleInput, stationOf } from "../../fixtures/sample-calls.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";

const UNARY = DATA_METHODS.map(({ desc }) => desc).filter(({ methodKind }) => methodKind === "unary");
const INSTALL_MS_MAX = 600_000;

const directory = makeTemporaryDirectory();
let programs: string;
let servers: SandboxGateway;
beforeAll(async () => {
  programs = pythonEnvironment("mcp", join(import.meta.dirname, "mcp-requirements.txt"));
  servers = await startSandboxGateway(directory.path, PATIENT_UPSTREAMS);
}, INSTALL_MS_MAX);
afterAll(async () => {
  await servers.close();
  directory.remove();
});

test("every tool has results that the client accepts, called or as a dry run, in both generations", async () => {
  const { origin } = servers.gateway;
  const key = (await servers.gateway.makeCustomer(LARGEST_PLANS)).secret;
  const uuid = await stationOf(origin, { "x-gateway-key": key });
  const inputs = Object.fromEntries(
    UNARY.map((desc) => [
      `${desc.parent.typeName.split(".")[1]}${desc.name}`.toLowerCase(),
      sampleInput(operationIdOf(desc), uuid),
    ]),
  );
  const printed = await new Promise<string>((resolve, reject) => {
    const env = { PATH: process.env.PATH, QUINTET_URL: origin, QUINTET_KEY: key };
    const child = execFile(join(programs, "python"), [join(import.meta.dirname, "mcp-python.py")], { env }, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(err, { cause: error })),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(JSON.stringify(inputs));
  });
  const outcomes = JSON.parse(printed) as Record<string, Record<"called" | "dry", Record<string, unknown>>>;
  expect(Object.keys(outcomes)).toEqual(["legacy", "2026-07-28"]);
  for (const { called, dry } of Object.values(outcomes)) {
    expect(Object.values(called).filter((result) => result === "error")).toEqual([]);
    expect(Object.keys(called)).toHaveLength(UNARY.length);
    expect(Object.values(dry)).toEqual(UNARY.map(() => ({ dry_run: true })));
  }
});
