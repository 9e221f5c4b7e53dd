// `npm run test:restart`: runs rolling restarts under every client that this machine can build, directly and behind nginx, and prints how
// their calls ended. Exits with 1 if one was lost, or was not counted. `-- --rounds 5` restarts each server five times.
import { parseArgs } from "node:util";
import { setup } from "../../fixtures/program-setup.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import type { Caller } from "./caller.ts";
import { NODE_CALLERS } from "./callers/node.ts";
import { LANGUAGES } from "./clients.ts";
import { faultsOf, rehearse, type Seen } from "./rehearse.ts";
import { ROUTES } from "./routes.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "4" }, route: { type: "string", multiple: true } } });
// As in deploy/kubernetes: grpc-java, whose retry delays cannot be configured, retries within this time.
const READY_MS = 15_000;
const rounds = Number(values.rounds);
const callers: Caller[] = [...NODE_CALLERS];
for (const { tool, build } of LANGUAGES) {
  if ("missing" in tool) {
    process.stdout.write(`without the callers that ${tool.missing} for\n`);
  } else {
    callers.push(...build());
  }
}

await setup();
const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |\n`;
const seen: Seen[] = [];
for (const route of ROUTES.filter(({ name }) => values.route?.includes(name) ?? true)) {
  const { path, remove } = makeTemporaryDirectory();
  try {
    const one = await rehearse({ directory: path, route, callers, rounds, settings: { QUINTET_WORKERS: "2" }, readyMs: READY_MS });
    seen.push(one);
    process.stdout.write(`\n${route.name}: ${one.restarts} restarts\n\n`);
    process.stdout.write(row("client", "answered", "refused for the rate", "lost") + row("---", "---:", "---:", "---:"));
    for (const [name, { answered, limited, lost }] of one.tallies) {
      process.stdout.write(
        row(
          name,
          answered,
          limited,
          Object.values(lost).reduce((sum, calls) => sum + calls, 0),
        ),
      );
    }
    process.stdout.write(`\ncounted: ${JSON.stringify(one.counted)}\n`);
    for (const fault of faultsOf(one)) {
      process.stdout.write(`FAULT ${fault}\n`);
    }
  } finally {
    remove();
  }
}
process.exitCode = seen.flatMap(faultsOf).length === 0 ? 0 : 1;
