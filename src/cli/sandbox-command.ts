// `quintet sandbox`: the same server with a stand-in for every upstream, and demo accounts whose key and password are printed.
import type { Command } from "commander";
import { createLog } from "../runtime/log.ts";
import { readConfig } from "../server-config.ts";
import { parsePort } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import { makeDemoAccounts } from "./demo-accounts.ts";
import { examples } from "./help.ts";
import { takeSandboxDirectory } from "./sandbox-directory.ts";
import { welcome } from "./sandbox-welcome.ts";
import { listen, serveUntilStopped } from "./serve-command.ts";
import type { ServerEdge } from "./server-edge.ts";

const SANDBOX = { dataDir: "./data/sandbox", isSandbox: true } as const;
const CONTROL_PORT_DEFAULT = 8081;

/** Adds the command. */
export function addSandboxCommand(program: Command, edge: ServerEdge): void {
  program
    .command("sandbox")
    .description("Serve with a stand-in for every upstream, and print a demo key. Needs no internet.")
    .option(
      "--control-port <port>",
      "where the stand-ins are made to misbehave; 0 for a free port",
      parsePort,
      CONTROL_PORT_DEFAULT,
    )
    .addHelpText("after", examples("quintet sandbox", "QUINTET_PORT=9000 quintet sandbox --control-port 9001"))
    .action(async ({ controlPort }: { controlPort: number }) => {
      // The environment is checked before the first stand-in is started.
      const { startSandbox } = await import("../sandbox/sandbox.ts");
      const { buildApp } = await import("../app.ts");
      const checked = readConfig({ QUINTET_LOG_LEVEL: "warn", ...edge.variables }, SANDBOX);
      takeSandboxDirectory(checked);
      const log = createLog(checked.logLevel);
      const sandbox = await startSandbox({ clock: edge.clock, controlPort }).catch((error: unknown) => {
        throw refusalOf(error, controlPort);
      });
      try {
        const config = readConfig({ ...edge.variables, ...sandbox.variables }, SANDBOX);
        const app = await buildApp(config, {
          clock: edge.clock,
          randomness: edge.randomness,
          log,
          onUncaught: edge.onUncaught,
          extraHeaders: { "x-quintet-data": "sandbox" },
        });
        const { origin, adminOrigin } = await listen(app, config);
        // After the start: one that is refused must not revoke the key of the sandbox that is running.
        const key = await makeDemoAccounts(config, edge).catch(async (error: unknown) => {
          await app.close();
          throw error;
        });
        await serveUntilStopped(edge, app, log, () =>
          edge.out(welcome({ origin, key, control: sandbox.control.origin, dataDir: config.dataDir, adminOrigin })),
        );
      } finally {
        await sandbox.close();
      }
    });
}

// A person chooses only the control server's port; the stand-ins take free ones.
function refusalOf(error: unknown, controlPort: number): unknown {
  return error instanceof Error && "syscall" in error && error.syscall === "listen"
    ? new CommandRefused(`Cannot listen on 127.0.0.1, port ${controlPort}: ${error.message}. Set --control-port.`)
    : error;
}
