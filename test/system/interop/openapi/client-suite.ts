// What a client made from our OpenAPI document by a third-party generator has to do: compile, and return the same as REST for each
// operation.
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DATA_METHODS } from "../../../fixtures/data-services.ts";
import { DOCUMENT } from "../../../fixtures/openapi-document.ts";
import { ROOT } from "../../../fixtures/root.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../../fixtures/temporary-directory.ts";
import { comparable } from "./comparable.ts";
import { type ClientOperation, dataOperationsOf } from "./operations.ts";
import { restResult } from "./rest-result.ts";

const COMMAND_MS_MAX = 600_000;
const BUILD_MS_MAX = 900_000;
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

const OPERATIONS = dataOperationsOf(DOCUMENT);

/** Where a client is built. */
interface ClientPlace {
  /** Empty at first. */
  readonly folder: string;
  /** The document, as the server served it. */
  readonly document: string;
  readonly operations: readonly ClientOperation[];
  /** Runs a program in the folder, and resolves with its output. Rejects with the output if it fails. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<string>;
}

interface RunOptions {
  /** Inside the client's folder. */
  readonly folder?: string;
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A client that is to be tested. */
export interface GeneratedClient {
  readonly name: string;
  /** Generates and compiles it, and resolves with the command that makes the calls given on standard input. */
  build(place: ClientPlace): Promise<readonly [program: string, ...args: readonly string[]]>;
}

interface Outcome {
  readonly operationId: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** The suite for a client. */
export function clientSuite({ name, build }: GeneratedClient): void {
  const folder = join(ROOT, "build/interop/openapi", name);
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  let headers: Readonly<Record<string, string>>;
  const outcomes = new Map<string, Outcome>();

  beforeAll(async () => {
    servers = await startSandboxGateway(data.path);
    const { origin } = servers.gateway;
    const { secret } = await servers.gateway.makeCustomer(LARGEST_PLANS);
    headers = { "x-gateway-key": secret };
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const document = join(folder, "openapi.json");
    writeFileSync(document, await (await fetch(`${origin}/openapi.json`)).text());
    const run: ClientPlace["run"] = (program, args, options) => runIn(folder, program, args, options);
    const [program, ...args] = await build({ folder, document, operations: OPERATIONS, run });
    const environment = { QUINTET_URL: origin, QUINTET_KEY: secret };
    const printed = await run(program, args, { stdin: JSON.stringify(OPERATIONS), environment });
    for (const line of printed.trim().split("\n")) {
      const outcome = JSON.parse(line) as Outcome;
      outcomes.set(outcome.operationId, outcome);
    }
  }, BUILD_MS_MAX);
  afterAll(async () => {
    await servers?.close();
    data.remove();
  });

  test("the document has an operation for each method of the data services", () => {
    const names = DATA_METHODS.map(({ desc }) => `${desc.parent.name}_${desc.name}`);
    expect(OPERATIONS.map(({ operationId }) => operationId).toSorted()).toEqual(names.toSorted());
  });

  test.each(OPERATIONS)(`${name} returns the same as REST for $operationId`, async (operation) => {
    const { operationId } = operation;
    const result = await restResult(servers.gateway.origin, operation, headers);
    expect(comparable(outcomes.get(operationId))).toEqual(comparable({ operationId, result }));
  });
}

function runIn(folder: string, program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { folder: inside = "", stdin = "", environment = {} } = options;
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { ...process.env, FORCE_COLOR: undefined, PATH, ...environment };
  const limits = { timeout: COMMAND_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX };
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args], { cwd: join(folder, inside), env, ...limits }, (error, out, err) => {
      if (error === null) {
        resolve(out);
      } else {
        reject(new Error(`${program} ${args.join(" ")}\n${out}${err}`, { cause: error }));
      }
    });
    // A program that has ended without reading all of its input is judged by how it ended.
    child.stdin?.on("error", () => {});
    child.stdin?.end(stdin);
  });
}
