// `quintet status`: the state of a running server, from the metrics on its admin port.
import type { Command } from "commander";
import { readAdminConfig } from "../config/admin.ts";
import { Environment } from "../config/environment.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandEdge } from "./context.ts";
import { examples } from "./help.ts";
import { readMetrics } from "./metrics-text.ts";
import { facts, grouped, json } from "./output.ts";
import { statusOf } from "./server-status.ts";

const TIMEOUT_MS = 5000;

export function addStatusCommand(program: Command, { variables, clock, out }: CommandEdge): void {
  program
    .command("status")
    .description("Show the running server's calls, limits, database, upstreams and threads, from its admin port.")
    .option("--json", "print JSON")
    .addHelpText("after", examples("QUINTET_ADMIN_PORT=9464 quintet status"))
    .action(async ({ json: wantsJson = false }: { json?: boolean }) => {
      const status = statusOf(readMetrics(await fetchMetrics(adminOrigin(variables))), clock.nowMs());
      out(
        wantsJson
          ? json(status)
          : facts(
              Object.entries(status).map(([name, value]) => [
                name.replaceAll("_", " "),
                typeof value === "number" ? grouped(value) : String(value),
              ]),
            ),
      );
    });
}

function adminOrigin(variables: CommandEdge["variables"]): string {
  const environment = new Environment(variables);
  const admin = readAdminConfig(environment);
  environment.check();
  if (admin === undefined || admin.port === 0) {
    throw new CommandRefused(
      "settings",
      "Set QUINTET_ADMIN_PORT to the port that the server was started with; a server without it has no status to show.",
    );
  }
  const { host, port } = admin;
  // 0.0.0.0 and :: stand for all addresses, and cannot be called themselves.
  const reachableHost = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachableHost.includes(":") ? `[${reachableHost}]` : reachableHost}:${port}`;
}

async function fetchMetrics(origin: string): Promise<string> {
  try {
    const response = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) {
      return await response.text();
    }
    throw new Error(`it responded with ${response.status}`);
  } catch (thrown) {
    const { cause, message } = thrown as Error & { readonly cause?: NodeJS.ErrnoException };
    throw new CommandRefused(
      "store",
      `No server responds at ${origin}: ${cause?.code ?? cause?.message ?? message}. Is it running, with this QUINTET_ADMIN_PORT and QUINTET_ADMIN_HOST?`,
    );
  }
}
