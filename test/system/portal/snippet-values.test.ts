// Snippets with what people type into a form: quotes, backslashes, commas, signs, numbers that JavaScript would round. Each one is run, and
// the server receives exactly these values.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../../portal/content/operations.ts";
import { callOf } from "../../../portal/content/snippets/call.ts";
import { programSnippets } from "../../../portal/content/snippets/programs.ts";
import { shellSnippets } from "../../../portal/content/snippets/shell.ts";
import type { Snippet, SnippetCall } from "../../../portal/content/snippets/snippet.ts";
import { type RecordingProxy, startRecordingProxy } from "../../fixtures/recording-proxy.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { type Language, RUNNERS, runSnippet, WITHIN_MS } from "./run-snippet.ts";

type Input = SnippetCall["input"];

const NASTY = `it's "quoted" \\ \\u0041 \\n $HOME \`id\` %41 {{x}} & + 日本 🎷`;

interface Case {
  readonly what: string;
  readonly path: string;
  readonly input: Input;
  /** The expected query; undefined if the input is sent in a body. */
  readonly query?: Readonly<Record<string, string>>;
  readonly isDryRun?: boolean;
}

const CASES: readonly Case[] = [
  {
    what: "a string with quotes, in a query",
    path: "/reference/radio/search-stations",
    input: { name: NASTY, limit: 1 },
    query: { name: NASTY, limit: "1" },
  },
  {
    what: "a list, a negative number and a 64-bit number, in a query",
    path: "/reference/token-price/get-historical-prices",
    input: { tokens: ["coingecko:bitcoin", "a:'b'"], timestamp: "9223372036854775807", min_confidence: -0.5 },
    query: { tokens: "coingecko:bitcoin,a:'b'", timestamp: "9223372036854775807", min_confidence: "-0.5" },
  },
  {
    what: "a list of strings with commas and quotes, a negative number and a 64-bit number, in a body",
    path: "/reference/token-price/get-historical-prices",
    input: { tokens: [`a:${NASTY}`, "b,c"], timestamp: "-9223372036854775808", min_confidence: -1 },
  },
  {
    what: "a dry run, in a query",
    path: "/reference/farkle/score",
    input: { dice: [1, 5] },
    query: { dice: "1,5" },
    isDryRun: true,
  },
  {
    what: "a dry run, in a body",
    path: "/reference/token-price/get-prices",
    input: { tokens: ["a:b,c"] },
    isDryRun: true,
  },
];

// All of them speak HTTP/1.1, which the proxy forwards. Go and Java programs are compiled first, which takes a while.
const LANGUAGES = (Object.keys(RUNNERS) as Language[]).filter((language) => RUNNERS[language].isThere);
const runs = CASES.flatMap((one) => LANGUAGES.map((language) => ({ ...one, language })));

describe("A snippet sends exactly what was typed:", () => {
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  let proxy: RecordingProxy;
  beforeAll(async () => {
    servers = await startSandboxGateway(data.path);
    proxy = await startRecordingProxy(servers.gateway.origin);
  });
  afterAll(async () => {
    await proxy.close();
    await servers.close();
    data.remove();
  });

  function callTo(path: string, input: Input, server: string, isDryRun = false): SnippetCall {
    const operation = OPERATIONS.find((one) => one.path === path);
    if (operation === undefined) {
      throw new Error(`There is no ${path}`);
    }
    return { ...callOf(operation), input, isDryRun, server };
  }
  const run = async (snippet: Snippet | undefined) => {
    const { secret } = await servers.gateway.makeCustomer(LARGEST_PLANS);
    return runSnippet(snippet ?? { title: "", language: "bash", code: "" }, secret);
  };

  test.each(runs)(
    "$what, $language",
    async ({ path, input, query, isDryRun = false, language }) => {
      const call = callTo(path, input, proxy.origin, isDryRun);
      const before = proxy.requests.length;
      await run([...shellSnippets(call), ...programSnippets(call)].find((snippet) => snippet.language === language));
      const requested = proxy.requests.slice(before).map(({ method, target, headers, body }) => {
        const url = new URL(target, proxy.origin);
        return {
          method,
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          body: body === "" ? undefined : JSON.parse(body),
          dryRun: headers["x-quintet-dry-run"],
        };
      });
      const rest = { path: call.restPath, dryRun: isDryRun ? "true" : undefined };
      expect(requested).toEqual([
        query === undefined
          ? { ...rest, method: "POST", query: {}, body: input }
          : { ...rest, method: "GET", query, body: undefined },
      ]);
    },
    WITHIN_MS,
  );

  test("a string with quotes, Connect", async () => {
    const call = callTo("/reference/radio/search-stations", { name: NASTY }, proxy.origin);
    await run(shellSnippets(call).find(({ title }) => title === "Connect"));
    const { target, body = "" } = proxy.requests.at(-1) ?? {};
    expect({ target, message: JSON.parse(body) }).toEqual({ target: `/${call.rpc}`, message: { name: NASTY } });
  });

  test(
    "a string with quotes, gRPC",
    async () => {
      const call = callTo("/reference/radio/search-stations", { name: NASTY }, servers.gateway.origin);
      const { stdout } = await run(shellSnippets(call).find(({ title }) => title === "gRPC (buf)"));
      expect(JSON.parse(stdout)).toMatchObject({ filters: { name: NASTY } });
    },
    WITHIN_MS,
  );
});
