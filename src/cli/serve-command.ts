// `quintet serve`: the server, for production.
import type { Command } from "commander";
import type { App } from "../app.ts";
import { AdminListenError } from "../operations/admin/admin-listen-error.ts";
import { createLog, type Log } from "../runtime/log.ts";
import { type Config, readConfig, variableDocs } from "../server-config.ts";
import { CommandRefused } from "./command-refused.ts";
import { shouldCreateDatabase } from "./data-directory.ts";
import { examples, type InitOption, initOption } from "./help.ts";
import { table } from "./output.ts";
import { refuseSandboxDirectory } from "./sandbox-directory.ts";
import type { ServerEdge } from "./server-edge.ts";

export function addServeCommand(program: Command, edge: ServerEdge): void {
  program
    .command("serve")
    .description(
      "Serve with the real upstreams. SIGTERM or SIGINT lets calls in progress finish; SIGHUP reloads the TLS files, and reopens the access log.",
    )
    .addOption(initOption())
    .addHelpText("after", `${examples("quintet serve", "QUINTET_PORT=9000 QUINTET_HOST=:: quintet serve")}\n${environmentTable()}`)
    .action(async ({ init = false }: InitOption) => {
      const config = readConfig(edge.variables, { workers: edge.cores });
      const log = createLog(config.logLevel);
      const isNamed = Boolean(edge.variables.QUINTET_DATA_DIR);
      refuseSandboxDirectory(config);
      const isNew = config.database === undefined && shouldCreateDatabase({ dataDir: config.dataDir, isNamed, init });
      // Imported here, because no other command needs it.
      const { buildApp } = await import("../app.ts");
      const app = await buildApp(config, { clock: edge.clock, randomness: edge.randomness, log, onUncaught: edge.onUncaught });
      if (isNew) {
        log.info({ data_dir: config.dataDir }, "created a new, empty database");
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

/** The URLs of a listening server. */
export interface Origins {
  readonly origin: string;
  /** Undefined without an admin port. */
  readonly adminOrigin: string | undefined;
}

/** Starts to listen and returns the server's URLs. If an address is in use, closes the app and rejects with a CommandRefused. */
export async function listen(app: App, config: Config): Promise<Origins> {
  try {
    const address = await app.listen();
    const { admin } = address;
    const scheme = config.tls === undefined ? "http" : "https";
    return { origin: urlOf(scheme, address), adminOrigin: admin && urlOf("http", admin) };
  } catch (error) {
    await app.close();
    if (error instanceof AdminListenError) {
      throw new CommandRefused("settings", error.message);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandRefused(
      "settings",
      `Cannot listen on ${config.host}, port ${config.port}: ${reason}. Set QUINTET_HOST or QUINTET_PORT.`,
    );
  }
}

/**
 * Serves until told to stop, then closes the app. `announce` is called once the process handles signals, because the reader of the
 * announcement may send one immediately.
 */
export async function serveUntilStopped(
  edge: ServerEdge,
  app: Pick<App, "reload" | "close">,
  log: Log,
  announce: () => void,
): Promise<void> {
  edge.onReload(() => {
    try {
      const { tlsFiles, accessLog } = app.reload();
      const done = [...(tlsFiles ? ["reloaded the TLS files"] : []), ...(accessLog ? ["reopened the access log"] : [])];
      log.info(done.length === 0 ? "SIGHUP had nothing to do: there are no TLS files and no access log" : done.join(" and "));
    } catch (error) {
      log.error({ err: error }, "the TLS files are faulty; the previous ones stay in use");
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
    fallback.length > 40 ? "(see docs/operate/settings.md)" : fallback,
    meaning,
  ]);
  return `Environment:\n${table([{ heading: "variable" }, { heading: "default" }, { heading: "meaning" }], rows)}`;
}
