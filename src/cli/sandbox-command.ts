// `quintet sandbox`: the server with a stand-in for every upstream, and demo accounts whose key and password are printed.
import type { Command } from "commander";
import { folderNameOf, SERVICE_NAMES } from "../catalogue/service-names.ts";
import { createLog } from "../runtime/log.ts";
import { readConfig } from "../server-config.ts";
import { parsePort } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import { DEMO_SIGN_IN, makeDemoAccounts } from "./demo-accounts.ts";
import { examples } from "./help.ts";
import { takeSandboxDirectory } from "./sandbox-directory.ts";
import { SANDBOX_EXPLORE_KEY } from "./sandbox-explore-key.ts";
import { listen, serveUntilStopped } from "./serve-command.ts";
import type { ServerEdge } from "./server-edge.ts";

// What the sandbox prints once it serves: its key, its URLs, and a curl command for each protocol.

/** The values in the text. */
interface SandboxFacts {
  readonly origin: string;
  /** Where browsers sign in, and return to from other pages. */
  readonly siteOrigin: string;
  readonly key: string;
  /** The server that makes the stand-ins misbehave. */
  readonly control: string;
  readonly dataDir: string;
  /** Undefined without an admin port. */
  readonly adminOrigin: string | undefined;
}

const INPUT = '{"dice":[1,1,1,5,5,5]}';
const METHOD = "quintet.farkle.v1.FarkleService/Score";
// The five bytes that gRPC puts before a message: no flags, and the message's length.
const FRAMED = `printf '\\0\\0\\0\\0\\${INPUT.length.toString(8)}%s' '${INPUT}'`;

// The message comes from a file: curl 7.88 sometimes waits for ever after a refusal that came before it had read the message from a pipe.
function welcome({ origin, siteOrigin, key, control, dataDir, adminOrigin }: SandboxFacts): string {
  const { customer, operator, password } = DEMO_SIGN_IN;
  const header = `-H 'x-gateway-key: ${key}'`;
  return `Quintet's sandbox serves at ${origin}
Every upstream is a stand-in on this machine; responses are marked x-quintet-data: sandbox.

  key      ${key}
  REST     ${origin}/{${SERVICE_NAMES.join(",")}}/v1/…
  RPC      ${origin}/quintet.{${SERVICE_NAMES.map(folderNameOf).join(",")}}.v1.…Service/…
  OpenAPI  ${origin}/openapi.json
  sign in  ${siteOrigin}/app as ${customer}, or as ${operator}; the password is: ${password}
  control  ${control}   (make a stand-in misbehave)
  data     ${dataDir}   (QUINTET_DATA_DIR=${dataDir} for the other commands)
${adminOrigin === undefined ? "" : `  metrics  ${adminOrigin}/metrics\n`}
REST
  curl ${header} '${origin}/farkle/v1/score?dice=1,1,1,5,5,5'

Connect
  curl ${header} --json '${INPUT}' ${origin}/${METHOD}

gRPC-Web
  ${FRAMED} > /tmp/roll && curl -s ${header} -H 'content-type: application/grpc-web+json' --data-binary @/tmp/roll ${origin}/${METHOD} | tr -d '\\0'

gRPC
  ${FRAMED} > /tmp/roll && curl -s --http2-prior-knowledge ${header} -H 'content-type: application/grpc+json' -H 'te: trailers' --data-binary @/tmp/roll ${origin}/${METHOD} | tr -d '\\0'

Failover: curl -X PUT -d '{"kind":"dead"}' ${control}/radio-1   then   curl ${header} '${origin}/radio/v1/search?tag=jazz&limit=3'
`;
}

const SANDBOX = { dataDir: "./data/sandbox", isSandbox: true } as const;
// Addresses that only this machine can reach.
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;
const CONTROL_PORT_DEFAULT = 8081;

export function addSandboxCommand(program: Command, edge: ServerEdge): void {
  program
    .command("sandbox")
    .description("Serve with a stand-in for every upstream, and print a demo key. Needs no internet.")
    .option("--control-port <port>", "the port for making stand-ins misbehave; 0 for a free port", parsePort, CONTROL_PORT_DEFAULT)
    .option(
      "--allow-network",
      "listen at an address that other machines can reach, although everybody knows the password of the sandbox's operator",
    )
    .addHelpText("after", examples("quintet sandbox", "QUINTET_PORT=9000 quintet sandbox --control-port 9001"))
    .action(async ({ controlPort, allowNetwork = false }: { controlPort: number; allowNetwork?: boolean }) => {
      // The environment is checked before the first stand-in is started.
      const { startSandbox } = await import("../sandbox/sandbox.ts");
      const { buildApp } = await import("../app.ts");
      const checked = readConfig({ QUINTET_LOG_LEVEL: "warn", ...edge.variables }, SANDBOX);
      if (!allowNetwork) {
        requireOwnMachine(checked.host);
      }
      takeSandboxDirectory(checked);
      const log = createLog(checked.logLevel);
      let serverOrigin: string | undefined;
      const sandbox = await startSandbox({ clock: edge.clock, controlPort, serverOrigin: () => serverOrigin }).catch(
        (error: unknown) => {
          throw refusalOf(error, controlPort);
        },
      );
      try {
        const given = { QUINTET_EXPLORE_KEY: SANDBOX_EXPLORE_KEY, ...publicUrlOf(checked), ...edge.variables };
        // Whoever has paid returns to the public URL.
        const cards = "QUINTET_PUBLIC_URL" in given ? sandbox.stripe.variables : {};
        const config = readConfig({ ...given, ...cards, ...sandbox.variables }, SANDBOX);
        const app = await buildApp(config, {
          clock: sandbox.clock,
          randomness: edge.randomness,
          log,
          onUncaught: edge.onUncaught,
          extraHeaders: { "x-quintet-data": "sandbox" },
        });
        // Created before the server listens, so that a script that has waited for it can read the key.
        const key = await makeDemoAccounts(config, edge).catch(async (error: unknown) => {
          await app.close();
          throw error;
        });
        const { origin, adminOrigin } = await listen(app, config);
        serverOrigin = origin;
        await serveUntilStopped(edge, app, log, () =>
          edge.out(
            welcome({
              origin,
              siteOrigin: config.publicUrl ?? origin,
              key,
              control: sandbox.control.origin,
              dataDir: config.dataDir,
              adminOrigin,
            }),
          ),
        );
      } finally {
        await sandbox.close();
      }
    });
}

// Browsers create passkeys only at a host name. A port that is chosen by the system is not known yet.
const publicUrlOf = ({ host, port }: { readonly host: string; readonly port: number }): Record<string, string> =>
  port !== 0 && LOOPBACK.test(host) ? { QUINTET_PUBLIC_URL: `http://localhost:${port}` } : {};

// Anybody who can reach the port can sign in as an operator.
function requireOwnMachine(host: string): void {
  if (!LOOPBACK.test(host)) {
    throw new CommandRefused(
      "settings",
      `QUINTET_HOST is ${host}, which other machines can reach, and everybody knows the password of the sandbox's operator. Leave it out, or set it to 127.0.0.1; to admit other machines anyway, add --allow-network.`,
    );
  }
}

// Only the control server's port can be chosen; the stand-ins take free ones.
function refusalOf(error: unknown, controlPort: number): unknown {
  return error instanceof Error && "syscall" in error && error.syscall === "listen"
    ? new CommandRefused("settings", `Cannot listen on 127.0.0.1, port ${controlPort}: ${error.message}. Set --control-port.`)
    : error;
}
