// `quintet serve`: the server, for production.
import type { Command } from "commander";
import type { App } from "../app.ts";
import { AdminListenError } from "../operations/admin/admin-listen-error.ts";
import { createLog, type Log } from "../runtime/log.ts";
import { type Config, readConfig, variableDocs } from "../server-config.ts";
import { CommandRefused } from "./command-refused.ts";
import { becomesNew } from "./data-directory.ts";
import { examples, type InitOption, initOption } from "./help.ts";
import { table } from "./output.ts";
import { refuseSandboxDirectory } from "./sandbox-directory.ts";
import type { ServerEdge } from "./server-edge.ts";

/** Adds the command. */
export function addServeCommand(program: Command, edge: ServerEdge): void {
  program
    .command("serve")
    .description(
      "Serve, talking to the real upstreams. SIGTERM or SIGINT lets calls under way end; SIGHUP reads the TLS files again, and opens the access log again.",
    )
    .addOption(initOption())
    .addHelpText("after", `${examples("quintet serve", "QUINTET_PORT=9000 QUINTET_HOST=:: quintet serve")}\n${environmentTable()}`)
    .action(async ({ init = false }: InitOption) => {
      const config = readConfig(edge.variables, { workers: edge.cores });
      const log = createLog(config.logLevel);
      const isNamed = Boolean(edge.variables.QUINTET_DATA_DIR);
      refuseSandboxDirectory(config);
      const isNew = config.database === undefined && becomesNew({ dataDir: config.dataDir, isNamed, init });
      // Imported here, because no other command needs it.
      const { buildApp } = await import("../app.ts");
      const app = await buildApp(config, { clock: edge.clock, randomness: edge.randomness, log, onUncaught: edge.onUncaught });
      if (isNew) {
        log.info({ data_dir: config.dataDir }, "made a new, empty database");
      }
      const { origin, adminOrigin } = await listen(app, config);
      await serveUntilStopped(edge, app, log, () => {
        log.info({ origin, admin: adminOrigin, data_dir: config.dataDir, workers: config.workers }, "serving");
      });
      log.info("stopped");
    });
}

const urlOf = (scheme: string, { host, port }: { readonly host: string; readonly port: number }): string =>
  `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The URLs of a server that listens. */
export interface Origins {
  readonly origin: string;
  /** Undefined where there is no admin port. */
  readonly adminOrigin: string | undefined;
}

/** Starts to listen and returns the server's URLs. When an address is taken, closes the app and rejects with a CommandRefused. */
export async function listen(app: App, config: Config): Promise<Origins> {
  try {
    const address = await app.listen();
    const { admin } = address;
    const scheme = config.tls === undefined ? "http" : "https";
    return { origin: urlOf(scheme, address), adminOrigin: admin && urlOf("http", admin) };
  } catch (error) {
    await app.close();
    if (error instanceof AdminListenError) {
      throw new CommandRefused(error.message);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandRefused(`Cannot listen on ${config.host}, port ${config.port}: ${reason}. Set QUINTET_HOST or QUINTET_PORT.`);
  }
}

/** Serves until told to stop, then closes the app. `announce` is called once the process hears signals: who reads it may send one at once. */
export async function serveUntilStopped(edge: ServerEdge, app: App, log: Log, announce: () => void): Promise<void> {
  edge.onReload(() => {
    try {
      app.reload();
      log.info("the TLS files were read again");
    } catch (error) {
      log.error({ err: error }, "the TLS files are faulty; the ones read before stay in use");
    }
  });
  const stopped = edge.untilStopped();
  announce();
  await stopped;
  await app.close();
}

function environmentTable(): string {
  const rows = variableDocs().map(({ name, fallback, meaning }) => [
    name,
    fallback.length > 40 ? "(see docs/operate.md)" : fallback,
    meaning,
  ]);
  return `Environment:\n${table([{ heading: "variable" }, { heading: "default" }, { heading: "meaning" }], rows)}`;
}
