// The console's snippets for every method, run as they stand: gRPC with grpcurl and buf curl, programs that have to be compiled, streams,
// and TLS. Those that need neither Go nor Java are run for every method by test/system/portal.
import { execFileSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleMethod } from "../../../portal/app/console/contract/contract.ts";
import { snippetCall } from "../../../portal/app/console/snippet-call.ts";
import { programSnippets } from "../../../portal/content/snippets/programs.ts";
import { shellSnippets } from "../../../portal/content/snippets/shell.ts";
import { makeAuthority } from "../../fixtures/certificates.ts";
import { installGoTool } from "../../fixtures/go-tool.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { CONTRACT, methodAt } from "../../portal/console/contract.ts";
import { type Ran, RUNNERS, type RunOptions, runSnippet } from "../portal/run-snippet.ts";
import { GRPCURL } from "./grpcurl.ts";

process.env.PATH = [dirname(installGoTool(GRPCURL)), process.env.PATH].join(delimiter);

const GRPC = ["gRPC (buf)", "gRPC (grpcurl)"];
const COMPILED = ["Go", "Java", "Rust"];
const OF_STREAMS = ["REST", ...GRPC, "TypeScript", "Python", ...COMPILED, ...(RUNNERS.php.isThere ? ["PHP"] : [])];
const ALL = [...OF_STREAMS, "Connect"];

// What people type, including characters that a shell would interpret.
const NASTY = `it's "quoted" '' \\ \\u0041 \\n $HOME $(id) \`id\` ! %41 {{x}} & + * ~ # -d @x\nnew line\ttab\r\u0001 日本 🎷`;

const TOKENS = ["coingecko:bitcoin"];

describe.each(["http", "https"])("Over %s", (scheme) => {
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  let server: string;
  let environment: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const { variables, trust } = scheme === "https" ? certified(data.path) : { variables: {}, trust: {} };
    servers = await startSandboxGateway(data.path, variables);
    server = `${scheme}://127.0.0.1:${servers.gateway.port}`;
    environment = trust;
  });
  afterAll(async () => {
    await servers.close();
    data.remove();
  });

  async function run(
    title: string,
    method: ConsoleMethod,
    input: JsonObject,
    options: Pick<RunOptions, "isEnough"> & { readonly isDryRun?: boolean } = {},
  ): Promise<Ran> {
    const call = snippetCall(method, input, { server, isDryRun: options.isDryRun ?? false });
    const snippet = [...shellSnippets(call), ...programSnippets(call)].find((one) => one.title === title);
    if (snippet === undefined) {
      throw new Error(`${method.slug} has no snippet in ${title}`);
    }
    // One for each call: time stands still, and so do the seconds of the limits.
    const { secret } = await servers.gateway.makeCustomer(LARGEST_PLANS);
    return await runSnippet(snippet, secret, { ...options, environment });
  }

  // ureq trusts the authorities of browsers, which it brings along, and no other that the machine is configured to trust.
  const each = (titles: readonly string[], wanted: (method: ConsoleMethod) => boolean) =>
    titles
      .filter((title) => scheme === "http" || title !== "Rust")
      .flatMap((title) => CONTRACT.methods.filter(wanted).map((method) => ({ title, slug: method.slug, method })));
  const unary = ({ isStream }: ConsoleMethod): boolean => !isStream;

  test.each(each(GRPC, unary))("$title calls $slug", async ({ title, method }) => {
    const { stdout, stderr, failed } = await run(title, method, method.sample as JsonObject);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(Object.keys(JSON.parse(stdout)).length).toBeGreaterThan(0);
  });

  test.each(each(COMPILED, (method) => unary(method) && (scheme === "http" || method.slug === "farkle/score")))(
    "$title calls $slug",
    async ({ title, method }) => {
      const { stdout, stderr, failed } = await run(title, method, method.sample as JsonObject);
      expect({ failed, stderr: failed ? stderr : "" }).toEqual({ failed: false, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({ success: true });
    },
  );

  test.each(each(ALL, ({ slug }) => slug === "farkle/score"))(
    "$title calls $slug and prints its answer",
    async ({ title, method }) => {
      const { stdout, stderr, failed } = await run(title, method, { dice: [1, 5] });
      expect({ failed, stderr: failed ? stderr : "", says: /score\W+150\b/.test(stdout) }).toEqual({
        failed: false,
        stderr: "",
        says: true,
      });
    },
  );

  test.each(each(OF_STREAMS, ({ isStream }) => isStream))(
    "$title prints what $slug streams, as it comes",
    async ({ title, method }) => {
      const isEnough = (stdout: string): boolean => stdout.includes("coingecko:bitcoin") && stdout.includes("price");
      const { stderr, failed } = await run(title, method, { tokens: TOKENS }, { isEnough });
      expect({ failed, stderr: failed ? stderr : "" }).toEqual({ failed: false, stderr: "" });
    },
  );

  test.each(GRPC)("%s sends a string as it was typed", async (title) => {
    const { stdout, stderr } = await run(title, methodAt("radio/search-stations"), { name: NASTY });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ filters: { name: NASTY } });
  });

  test.each(GRPC)("%s sends negative numbers, and numbers in quotes, as they were typed", async (title) => {
    const input = { tokens: TOKENS, timestamp: "4294967295", min_confidence: -0.5 };
    const { stderr } = await run(title, methodAt("token-price/get-historical-prices"), input);
    expect(stderr).toContain("min_confidence must be a number from 0 to 1, not -0.5");
  });

  test.each([...GRPC, "Connect"])("%s checks whether a call would be admitted", async (title) => {
    const { stdout, failed } = await run(title, methodAt("farkle/score"), { dice: [1, 5] }, { isDryRun: true });
    expect({ failed, response: JSON.parse(stdout) }).toEqual({ failed: false, response: {} });
  });
});

// An authority that every language here is configured to trust.
function certified(folder: string): {
  readonly variables: Readonly<Record<string, string>>;
  readonly trust: Readonly<Record<string, string>>;
} {
  const authority = makeAuthority("authority", folder);
  const trustStore = join(folder, "trust.p12");
  const store = ["-keystore", trustStore, "-storetype", "PKCS12", "-storepass", "changeit"];
  execFileSync("keytool", ["-importcert", "-noprompt", "-file", authority.certPath, ...store], { stdio: "ignore" });
  const { certPath, keyPath } = authority.certify({ holder: "server", names: "IP:127.0.0.1" });
  return {
    variables: { QUINTET_TLS_CERT: certPath, QUINTET_TLS_KEY: keyPath },
    trust: {
      CURL_CA_BUNDLE: authority.certPath,
      SSL_CERT_FILE: authority.certPath,
      NODE_EXTRA_CA_CERTS: authority.certPath,
      JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${trustStore} -Djavax.net.ssl.trustStorePassword=changeit`,
    },
  };
}
