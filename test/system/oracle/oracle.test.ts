// The pipelines are each other's oracle: the same request, byte for byte, through the unary pipeline and through connect-es' handlers must come to
// the same answer, the same call for the handler, and the same settlement. Where it may not, `known-differences.ts` says why. REST has no
// twin in the Connect pipeline and is left out.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
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
import { type Lane, serveLane } from "./two-lanes.ts";
import { viewOf } from "./view.ts";
import { wants } from "./wants.ts";

// The same calls each time, so that a change passes or fails for itself. Another seed, and more runs, look further:
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

let lanes: readonly [Lane, Lane];
const met = new Set<string>();
let cases = 0;

beforeAll(async () => {
  lanes = [await serveLane(false), await serveLane(true)];
});

afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
});

// The pair of what the pipelines make of a call, without the differences that are known.
async function compared(call: Call): Promise<Pair> {
  cases += 1;
  const request = requestOf(call);
  const [unary, connect] = await Promise.all(lanes.map((lane) => lane.ask(request)));
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

async function hold(call: Call): Promise<void> {
  const { unary, connect } = await compared(call);
  expect({ call, ...unary }).toEqual({ call, ...connect });
}

// Each oddity by itself. An answer that is long shows what comes of compression.
function oddities(protocol: Call["protocol"], httpVersion: Call["httpVersion"], form: Call["form"]): Call[] {
  const base: Call = { ...plain, protocol, httpVersion, form };
  return Object.entries(tables).flatMap(([table, choices]) => {
    const want = table === "compression" || table === "accept" ? "long" : plain.want;
    return Object.keys(choices).map((name): Call => ({ ...base, want, [table]: name }));
  });
}

const ways = protocols.flatMap((protocol) => [
  { protocol, httpVersion: 2, form: "proto" } as const,
  // What the Connect pipeline has not need not be compared in all ways.
  ...(protocol === "grpc-web-text"
    ? []
    : ([
        { protocol, httpVersion: 2, form: "json" },
        { protocol, httpVersion: 1, form: "proto" },
      ] as const)),
]);

test.each(ways)("$protocol over HTTP/$httpVersion with $form: each oddity by itself", async ({ protocol, httpVersion, form }) => {
  for (const call of oddities(protocol, httpVersion, form)) {
    await hold(call);
  }
});

const LONG_FAILURES = ["connect", "grpc-web"] as const;

test.each(LONG_FAILURES)("a long failure over %s for a caller who takes gzip", (protocol) =>
  hold({ ...plain, protocol, want: "longError", accept: "gzip" }),
);

test("a message that is both too long and in a compression that is not known", () =>
  hold({ ...plain, protocol: "grpc", message: "tooLong", compression: "unknown" }));

// Mostly plain, so that a call gets as far as the next oddity.
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

test("and several of them together", { timeout: 60_000 + 20 * RUNS }, async () => {
  await fc.assert(fc.asyncProperty(anyCall, hold), { numRuns: RUNS, seed: SEED });
});

const CASES =
  ways.flatMap(({ protocol, httpVersion, form }) => oddities(protocol, httpVersion, form)).length + LONG_FAILURES.length + 1 + RUNS;

test(`no difference is on the list that is not there in ${CASES} calls`, () => {
  const unmet = knownDifferences.map(({ name }) => name).filter((name) => !met.has(name));
  expect({ unmet, cases }).toEqual({ unmet: [], cases: CASES });
});
