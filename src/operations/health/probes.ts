// /livez and /readyz, for orchestrators and balancers that check health by HTTP. They have no rate limit: an orchestrator treats a refusal
// as a failure, and a response costs less than a refusal.
import type { Document } from "../../gateway/document.ts";
import type { WorkerHealth } from "./worker-health.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Path → its response. `store`: what the accounts are in. */
export function createProbes(
  health: Pick<WorkerHealth, "notReady">,
  store: "PostgreSQL" | "embedded",
): ReadonlyMap<string, Document> {
  return new Map<string, Document>([
    // A process that responds is alive. Whatever else is wrong, a new process would not fix it.
    ["/livez", (exchange, common) => exchange.respond(200, { ...HEADERS, ...common }, '{"status":"live"}\n')],
    [
      "/readyz",
      (exchange, common) => {
        const reason = health.notReady;
        const body = { ...(reason === undefined ? { status: "ready" } : { status: "not ready", reason }), store };
        exchange.respond(reason === undefined ? 200 : 503, { ...HEADERS, ...common }, `${JSON.stringify(body)}\n`);
      },
    ],
  ]);
}
