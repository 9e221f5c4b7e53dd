// `npm run bench -- portal`: measures what the dashboard adds to the cost of a call, end to end: counting usage and refusals, and the live
// view without and with a viewer. Each variant is a server on one core; all get the same load in turn. Options: `--rounds N`, `--seconds
// N`. Writes bench/portal.md.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { SignInService } from "../gen/quintet/account/v1/sign_in_pb.js";
import { accountClient } from "../test/fixtures/account-clients.ts";
import { type Contender, startContender, startDirectory } from "./contender.ts";
import { NARROW_PLAN } from "./gateway.ts";
import { cpuUsOf, load } from "./load.ts";
import { median, table } from "./table.ts";
import { WORKLOADS } from "./workloads.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, seconds: { type: "string", default: "3" } },
});
const roundCount = Number(values.rounds);
const seconds = Number(values.seconds);

/** A customer who signed up in a server's portal. */
interface Customer {
  readonly key: string;
  /** Watches the customer's calls until it is aborted, and counts them. */
  watch(signal: AbortSignal): Promise<void>;
}

let watchedCalls = 0;
let leftOutCalls = 0;

async function signUp({ port }: Contender, name: string, plan: string): Promise<Customer> {
  const transport = createConnectTransport({ baseUrl: `http://127.0.0.1:${port}`, httpVersion: "2" });
  const { outcome } = await createClient(SignInService, transport).signUp({
    email: `${name}@bench.example`,
    password: "a password of the bench",
  });
  const headers = { authorization: `Bearer ${outcome.case === "session" ? outcome.value.token : ""}` };
  const account = accountClient(transport);
  await account.setSubscription({ service: "farkle", plan }, { headers });
  const { secret } = await account.createKey({}, { headers });
  return {
    key: secret,
    async watch(signal) {
      try {
        for await (const { calls, leftOut } of account.watchCalls({}, { headers, signal })) {
          watchedCalls += calls.length;
          leftOutCalls += leftOut;
        }
      } catch (thrown) {
        if (!signal.aborted) {
          throw thrown;
        }
      }
    },
  };
}

const radio = ["--directory", String(await startDirectory())];
const counted = await startContender("quintet", { more: radio });
const uncounted = await startContender("quintet", { more: [...radio, "--uncounted"] });

/** One variant of the server. */
interface Variant {
  readonly name: string;
  readonly contender: Contender;
  readonly customer: Customer;
  readonly isWatched: boolean;
}

async function variantsOf(plan: string): Promise<readonly Variant[]> {
  const ours = await signUp(counted, plan, plan);
  const customer = await signUp(uncounted, plan, plan);
  return [
    { name: "nothing counted, no viewer", contender: uncounted, customer, isWatched: false },
    { name: "usage and refusals counted, no viewer", contender: counted, customer: ours, isWatched: false },
    { name: "counted, one viewer", contender: counted, customer: ours, isWatched: true },
  ];
}

async function costOf({ contender, customer, isWatched }: Variant, workload: (typeof WORKLOADS)[number], isRefused: boolean) {
  const watch = new AbortController();
  const watching = isWatched ? customer.watch(watch.signal) : undefined;
  const round = await load({ ...contender, keys: [customer.key] }, workload, seconds, { isRefused });
  watch.abort();
  await watching;
  return cpuUsOf(round);
}

const sections: string[] = [];
for (const [plan, title, isRefused] of [
  ["bench", "admitted", false],
  [NARROW_PLAN.name, "refused by the rate limit", true],
] as const) {
  const variants = await variantsOf(plan);
  for (const workload of WORKLOADS.filter(({ name }) => name === "REST score" || name === "gRPC score")) {
    const costs = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
    for (const variant of variants) {
      await costOf(variant, workload, isRefused);
    }
    for (let round = 0; round < roundCount; round += 1) {
      for (const variant of variants) {
        costs.get(variant.name)?.push(await costOf(variant, workload, isRefused));
      }
    }
    const off = [...costs.values()][0] ?? [];
    const rows = [...costs].map(([name, taken]) => [
      name,
      median(taken).toFixed(2),
      median(taken.map((cost, round) => cost - (off[round] ?? Number.NaN))).toFixed(2),
    ]);
    sections.push(`## ${workload.name}, ${title}\n\n${table(["", "CPU a call, µs", "more than with nothing"], rows)}\n`);
  }
}
for (const contender of [counted, uncounted]) {
  await contender.stop();
}

writeFileSync(
  "bench/portal.md",
  `# What the dashboard adds to the cost of a call

Written by \`npm run bench -- portal\`. The server has one core, the load another; rounds alternate, and figures and differences are medians: ${roundCount} rounds of ${seconds} s after a warm-up. CPU time is that of the server's process with all its threads, its own and the
kernel's on its behalf. The watchers received ${watchedCalls.toLocaleString("en")} calls, and the count of ${leftOutCalls.toLocaleString("en")} more that were left out.

Machine: ${cpus()[0]?.model.trim()}, ${cpus().length} cores. Node ${process.version}.

${sections.join("\n")}`,
);
