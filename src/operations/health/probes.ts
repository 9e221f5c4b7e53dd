// /livez and /readyz, for orchestrators and balancers that ask by HTTP. They have no rate limit: an orchestrator takes a refusal for a failure,
// and an answer costs less than the refusal would.
import type { Document } from "../../gateway/document.ts";
import type { WorkerHealth } from "./worker-health.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** Path → its answer. */
export function createProbes(health: WorkerHealth): ReadonlyMap<string, Document> {
  return new Map<string, Document>([
    // A process that answers is alive. Whatever else is wrong, a new process would not mend it.
    ["/livez", (exchange) => exchange.respond(200, HEADERS, '{"status":"live"}\n')],
    [
      "/readyz",
      (exchange) => {
        const reason = health.notReady;
        const body = reason === undefined ? { status: "ready" } : { status: "not ready", reason };
        exchange.respond(reason === undefined ? 200 : 503, HEADERS, `${JSON.stringify(body)}\n`);
      },
    ],
  ]);
}
