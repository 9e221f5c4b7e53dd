// A sixth service, added to a copy of the project as CONTRIBUTING.md describes. Besides its own proto, folder, stand-in, page and plans it
// needs two edits; everything else is generated from these, and a check names any piece that is forgotten.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import { run, start } from "../../fixtures/program.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import {
  addMoonPhase,
  DEFINITION,
  LOOKS,
  PAGE,
  PLANS,
  PROTO,
  RECORDED,
  REGISTRY,
  REGISTRY_LINE,
  SAMPLE_CALLS,
  SAMPLE_LINE,
  SERVICE,
  STAND_INS,
} from "./moon-phase.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";

const PATH = "/moon-phase/v1/phase";
const RPC = "quintet.moonphase.v1.MoonPhaseService/GetPhase";
const GENERATE = ["scripts/generate.ts"];
const GENERATE_CHECK = [...GENERATE, "--check"];
const TYPES = ["node_modules/typescript/bin/tsc", "-p", "."];
const REGISTRY_TESTS = ["node_modules/vitest/vitest.mjs", "run", "test/services/registry.test.ts"];

const directory = makeTemporaryDirectory();
const data = makeTemporaryDirectory();
let copy: ProjectCopy;
let byHand: readonly string[];

beforeAll(() => {
  copy = copyProject(directory.path);
  byHand = addMoonPhase(copy);
});
afterAll(() => {
  directory.remove();
  data.remove();
});

test("it takes two edits besides its own proto, folder, stand-in, page, plans and looks", () => {
  const own = [PROTO, PAGE, PLANS, LOOKS, RECORDED];
  const isOwn = (path: string): boolean => own.includes(path) || path.startsWith(`${SERVICE}/`) || path.startsWith(`${STAND_INS}/`);
  expect(byHand.filter((path) => !isOwn(path))).toEqual([REGISTRY, SAMPLE_CALLS]);
});

test("until it is generated, the check names the files that lack it", () => {
  const { passed, printed } = copy.runNode(GENERATE_CHECK);
  expect(passed).toBe(false);
  expect(printed.split("\n").filter((line) => line.includes("services that do not exist, or lacks some"))).toEqual([
    "proto/quintet/account/v1/account.proto names services that do not exist, or lacks some; run npm run generate",
    "proto/quintet/account/v1/billing.proto names services that do not exist, or lacks some; run npm run generate",
    "proto/quintet/account/v1/key.proto names services that do not exist, or lacks some; run npm run generate",
    "proto/quintet/account/v1/status.proto names services that do not exist, or lacks some; run npm run generate",
    "proto/quintet/account/v1/usage.proto names services that do not exist, or lacks some; run npm run generate",
    "proto/quintet/operator/v1/operator.proto names services that do not exist, or lacks some; run npm run generate",
    "deploy/nginx/nginx.conf forwards calls to services that do not exist, or lacks some; run npm run generate",
    "deploy/envoy/envoy.yaml forwards calls to services that do not exist, or lacks some; run npm run generate",
    "src/sandbox/stand-ins/all-stand-ins.ts starts stand-ins of services that do not exist, or lacks some; run npm run generate",
  ]);
});

describe("once it is generated,", () => {
  beforeAll(() => {
    expect(copy.runNode(GENERATE)).toMatchObject({ passed: true });
  });

  test.each([
    { what: "the check", args: ["scripts/check.ts"] },
    { what: "the test of the registry", args: REGISTRY_TESTS },
  ])("$what passes", ({ args }) => {
    const { passed, printed } = copy.runNode(args);
    expect(passed, printed).toBe(true);
  });

  const withOption = /\n {2}option \(quintet\.options\.v1\.data_service\) = \{[^}]*\};\n/;

  test.each([
    {
      what: "the option of its proto",
      path: PROTO,
      from: withOption,
      args: GENERATE_CHECK,
      says: "add the option (quintet.options.v1.data_service)",
    },
    {
      what: "a title",
      path: PROTO,
      from: /\n {4}title: .*/,
      args: GENERATE_CHECK,
      says: "MoonPhaseService: title must not be empty",
    },
    {
      what: "its row in the portal's table",
      path: LOOKS,
      from: /,\n {2}"moon-phase": \{[^}]*\}/,
      args: GENERATE_CHECK,
      says: "MoonPhaseService: colourLight in portal/services.json must be a colour",
    },
    {
      what: "its line in the registry",
      path: REGISTRY,
      from: REGISTRY_LINE,
      args: TYPES,
      says: "Property '\"moon-phase\"' is missing",
    },
    {
      what: "its plans",
      path: PLANS,
      from: /,\n {2}"moon-phase": \[[^\]]*\]/,
      args: REGISTRY_TESTS,
      says: "the built-in plans sell every service",
    },
    {
      what: "its upstreams",
      path: DEFINITION,
      from: '{ name: "almanac", urls: [url], check: checkAlmanac }',
      args: REGISTRY_TESTS,
      says: "the doctor queries the upstreams",
    },
    {
      what: "its sample call",
      path: SAMPLE_CALLS,
      from: SAMPLE_LINE,
      args: REGISTRY_TESTS,
      says: "add a good call of MoonPhaseService_GetPhase",
    },
    {
      what: "its stand-in",
      path: `${STAND_INS}/stand-ins.ts`,
      from: undefined,
      args: TYPES,
      says: "Cannot find module './moonphase/stand-ins.ts'",
    },
    { what: "its page", path: PAGE, from: undefined, args: REGISTRY_TESTS, says: "link to a page about every service" },
  ])("a check reports $what if it is forgotten", ({ path, from, args, says }) => {
    const text = copy.read(path);
    if (from === undefined) {
      copy.remove(path);
    } else {
      copy.edit(path, from, "");
    }
    const { passed, printed } = copy.runNode(args);
    copy.write(path, text);
    expect({ passed, said: printed.includes(says) ? says : printed }).toEqual({ passed: false, said: says });
  });

  test.each(["deploy/nginx/nginx.conf", "deploy/envoy/envoy.yaml"])("%s retries its calls like those of the others", (path) => {
    const [choice = ""] = /\(quintet\\\.\)\?\([^)]*radio[^)]*\)\[\.\/\]/.exec(copy.read(path)) ?? [];
    const pattern = new RegExp(`^/${choice}`);
    expect([PATH, `/${RPC}`, "/farkle/v1/score", "/account/v1/keys"].map((one) => pattern.test(one))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("the console offers its method", () => {
    const script = `const { CONSOLE_METHODS } = await import("./portal/content/console.ts"); console.log(CONSOLE_METHODS.map(({ rpc }) => rpc).join("\\n"))`;
    expect(copy.runNode(["--input-type=module", "--eval", script]).printed.split("\n")).toContain(RPC);
  });

  test("the doctor queries its upstream", async () => {
    const variables = { ...DEAD_UPSTREAMS, QUINTET_ALMANAC_URL: "http://127.0.0.1:9", QUINTET_DATA_DIR: data.path };
    const { out } = await run("doctor", variables, `${copy.path}/src/start.js`);
    expect(out).toContain("moon-phase");
  });

  test("the sandbox serves it, describes it, and counts its calls for operators", async () => {
    const variables = { QUINTET_DATA_DIR: data.path, QUINTET_PORT: "0" };
    const sandbox = start(["sandbox", "--control-port", "0"], variables, `${copy.path}/src/start.js`);
    await sandbox.until(/^Failover: .*\n/m);
    const fact = (name: string): string => new RegExp(`^  ${name} +(\\S+)`, "m").exec(sandbox.printed.out)?.[1] ?? "";
    const origin = new URL(fact("OpenAPI")).origin;
    const get = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      (await (await fetch(`${origin}${path}`, { headers })).json()) as Readonly<Record<string, unknown>>;
    const signIn = await fetch(`${origin}/account/v1/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "operator@example.com", password: "quintet sandbox" }),
    });
    const signedIn = (await signIn.json()) as { readonly data: { readonly session: { readonly token: string } } };
    const { session } = signedIn.data;
    const listed = copy.run(
      "node_modules/.bin/buf",
      "curl",
      "--protocol",
      "grpc",
      "--http2-prior-knowledge",
      "--list-methods",
      origin,
    );
    const seen = {
      response: (await get(`${PATH}?day=2026-11-21`, { "x-gateway-key": fact("key") })).data,
      isDocumented: PATH in ((await get("/openapi.json")).paths as object),
      isReflected: listed.printed.split("\n").includes(RPC),
      usage: (await get("/operator/v1/usage?service=moon-phase", { authorization: `Bearer ${session.token}` })).status,
    };
    sandbox.signal("SIGTERM");
    await sandbox.ended;
    expect(seen).toEqual({ response: { lit_percent: 21 }, isDocumented: true, isReflected: true, usage: "ok" });
  });
});
