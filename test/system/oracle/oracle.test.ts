// The two pipelines check each other. The same request, byte for byte, is sent through the unary pipeline and through connect-es's
// handlers. The response, what the handler saw, and the settlement must be the same. `known-differences.ts` lists the exceptions and their
// reasons. connect-es does not serve REST, so that is left out.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TIME_LIMITS } from "../../time-limits.ts";
import {
  accepts,
  bodyFaults,
  type Call,
  compressions,
  extras,
  frameFaults,
  messages,
  metadatas,
  protocols,
  timeouts,
} from "./calls.ts";
import { knownDifferences, type Pair } from "./known-differences.ts";
import { requestOf } from "./request.ts";
import { type ServedPipeline, servePipeline } from "./two-pipelines.ts";
import { viewOf } from "./view.ts";
import { wants } from "./wants.ts";

// The calls are the same each time, so that a failure is caused by a change. Another seed and more runs test more:
// `QUINTET_ORACLE_SEED=7 QUINTET_ORACLE_RUNS=20000 npx vitest run test/system/oracle/oracle.test.ts`.
const SEED = Number(process.env.QUINTET_ORACLE_SEED ?? 1);
const RUNS = Number(process.env.QUINTET_ORACLE_RUNS ?? 1200);

type Tables = Omit<Call, "protocol" | "form" | "httpVersion" | "method">;

const tables: { readonly [Name in keyof Tables]: Readonly<Record<string, unknown>> } = {
  message: messages,
  bodyFault: bodyFaults,
  frameFault: frameFaults,
  compression: compressions,
  accept: accepts,
  timeout: timeouts,
  metadata: metadatas,
  extra: extras,
  want: wants,
};

const plain: Call = {
  protocol: "connect",
  form: "proto",
  httpVersion: 2,
  method: "search",
  message: "plain",
  bodyFault: "none",
  frameFault: "none",
  compression: "none",
  accept: "none",
  timeout: "none",
  metadata: "none",
  extra: "none",
  want: "ok",
};

let pipelines: readonly [ServedPipeline, ServedPipeline];
const met = new Set<string>();
let cases = 0;

beforeAll(async () => {
  pipelines = [await servePipeline(false), await servePipeline(true)];
});

afterAll(async () => {
  await Promise.all(pipelines.map((pipeline) => pipeline.close()));
});

// The results of both pipelines for one call, without the known differences.
async function compared(call: Call): Promise<Pair> {
  cases += 1;
  const request = requestOf(call);
  const [unary, connect] = await Promise.all(pipelines.map((pipeline) => pipeline.send(request)));
  let pair: Pair = { call, unary: viewOf(unary as never), connect: viewOf(connect as never) };
  for (const { name, without } of knownDifferences) {
    const next = without(pair);
    if (next !== pair) {
      met.add(name);
      pair = next;
    }
  }
  return pair;
}

async function expectSameResult(call: Call): Promise<void> {
  const { unary, connect } = await compared(call);
  expect({ call, ...unary }).toEqual({ call, ...connect });
}

// Each oddity by itself. To test compression the response is long, because a short one is never compressed.
function oddities(protocol: Call["protocol"], httpVersion: Call["httpVersion"], form: Call["form"]): Call[] {
  const base: Call = { ...plain, protocol, httpVersion, form };
  return Object.entries(tables).flatMap(([table, choices]) => {
    const want = table === "compression" || table === "accept" ? "long" : plain.want;
    return Object.keys(choices).map((name): Call => ({ ...base, want, [table]: name }));
  });
}

const ways = protocols.flatMap((protocol) => [
  { protocol, httpVersion: 2, form: "proto" } as const,
  { protocol, httpVersion: 2, form: "json" } as const,
  { protocol, httpVersion: 1, form: "proto" } as const,
]);

test.each(ways)(
  "$protocol over HTTP/$httpVersion with $form: the pipelines agree on each oddity by itself",
  async ({ protocol, httpVersion, form }) => {
    for (const call of oddities(protocol, httpVersion, form)) {
      await expectSameResult(call);
    }
  },
);

const LONG_FAILURES = ["connect", "grpc-web"] as const;

test.each(LONG_FAILURES)("the pipelines agree on a long failure over %s for a caller who accepts gzip", (protocol) =>
  expectSameResult({ ...plain, protocol, want: "longError", accept: "gzip" }),
);

test("the pipelines agree on a message that is too long and in an unknown encoding", () =>
  expectSameResult({ ...plain, protocol: "grpc", message: "tooLong", compression: "unknown" }));

// Mostly the plain choice, so that not every call fails at its first oddity.
const oddly = (table: Readonly<Record<string, unknown>>): fc.Arbitrary<string> => {
  const [first, ...others] = Object.keys(table) as [string, ...string[]];
  return fc.oneof({ weight: 3, arbitrary: fc.constant(first) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
};

const anyCall: fc.Arbitrary<Call> = fc
  .record({
    protocol: fc.constantFrom(...protocols),
    httpVersion: fc.constantFrom(1 as const, 2 as const),
    form: fc.constantFrom("proto" as const, "json" as const),
    method: fc.constantFrom("search" as const, "echo" as const),
    message: oddly(tables.message),
    bodyFault: oddly(tables.bodyFault),
    frameFault: oddly(tables.frameFault),
    compression: oddly(tables.compression),
    accept: oddly(tables.accept),
    timeout: oddly(tables.timeout),
    metadata: oddly(tables.metadata),
    extra: oddly(tables.extra),
    want: oddly(tables.want),
  })
  .map((call) => call as Call);

test("the pipelines agree on several oddities together", { timeout: TIME_LIMITS.testTimeout + 20 * RUNS }, async () => {
  await fc.assert(fc.asyncProperty(anyCall, expectSameResult), { numRuns: RUNS, seed: SEED });
});

const CASES =
  ways.flatMap(({ protocol, httpVersion, form }) => oddities(protocol, httpVersion, form)).length + LONG_FAILURES.length + 1 + RUNS;

test(`each known difference occurred in the ${CASES} calls`, () => {
  const unmet = knownDifferences.map(({ name }) => name).filter((name) => !met.has(name));
  expect({ unmet, cases }).toEqual({ unmet: [], cases: CASES });
});
