// nginx as an operator would run it, with a configuration from deploy/nginx: only the addresses, the certificate and the location of files
// differ.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Found,
  freePort,
  lend,
  removeDirectory,
  runOnce,
  type ServerProcess,
  serverDirectory,
  startServer,
} from "../../fixtures/servers/server-process.ts";

const PATH = "/usr/sbin/nginx";
const STREAM_MODULE = "/usr/lib/nginx/modules/ngx_stream_module.so";
const CONFIGURATIONS = join(import.meta.dirname, "../../../deploy/nginx");

/** The program, with the module that the configurations need. */
export const nginx: Found = [PATH, STREAM_MODULE].every((path) => existsSync(path))
  ? { path: PATH }
  : { missing: `nginx with its stream module is not installed (${PATH}, ${STREAM_MODULE})` };

/** A running balancer. */
export interface Balancer {
  readonly port: number;
  /** The port for HTTP/1.1: without TLS nginx cannot accept it on the port of HTTP/2. */
  readonly http1Port: number;
  close(): Promise<void>;
}

type Ports = Pick<Balancer, "port" | "http1Port">;

/** The options of a balancer. */
export interface BalancerOptions {
  /** A file of deploy/nginx. */
  readonly configuration: "nginx.conf" | "cells.conf" | "tcp.conf";
  /** The nodes, as `host:port`. */
  readonly nodes: readonly [string, string];
  /** The certificate's files if the port speaks TLS; otherwise it is cleartext. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** If the nodes speak TLS, the file of their authority, and the name in their certificates. */
  readonly nodesTls?: { readonly authority: string; readonly name: string };
}

/** nginx.conf with TLS to the nodes, as its comment says. */
const withTlsToNodes = (text: string, { authority, name }: NonNullable<BalancerOptions["nodesTls"]>, directory: string): string =>
  text
    .replaceAll("http://quintet", "https://quintet")
    .replaceAll("grpc://", "grpcs://")
    .replaceAll(/^ *#(?=(?:proxy|grpc)_ssl)/gm, "")
    .replaceAll("/etc/nginx/tls/ca.crt", lend(authority, directory))
    .replaceAll("quintet.internal", name);

/** The configuration for these addresses, with its files in `directory`. */
function configurationText({ configuration, nodes, tls, nodesTls }: BalancerOptions, directory: string, ports: Ports): string {
  const { port, http1Port } = ports;
  const listen =
    tls === undefined
      ? `listen 127.0.0.1:${port} http2;\n    listen 127.0.0.1:${http1Port};`
      : `listen 127.0.0.1:${port} ssl http2;`;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${directory}/${name};`);
  const replaced: readonly (readonly [from: string, to: string])[] = [
    ["node-1.internal:8080", nodes[0]],
    ["node-2.internal:8080", nodes[1]],
    ["pid /run/nginx.pid;", `pid ${directory}/nginx.pid;`],
    ["worker_processes auto;", "worker_processes 1;"],
    ...(configuration === "tcp.conf"
      ? [["listen 443;", `listen 127.0.0.1:${port};`] as const]
      : [
          ["\nhttp {", `\nhttp {\n  ${temporary.join("\n  ")}`] as const,
          ["listen 443 ssl http2;", listen] as const,
          ["/etc/nginx/tls/tls.crt", tls === undefined ? "" : lend(tls.cert, directory)] as const,
          ["/etc/nginx/tls/tls.key", tls === undefined ? "" : lend(tls.key, directory)] as const,
        ]),
  ];
  let text = readFileSync(join(CONFIGURATIONS, configuration), "utf8");
  for (const [from, to] of replaced) {
    if (!text.includes(from)) {
      throw new Error(`deploy/nginx/${configuration} has no "${from}"`);
    }
    text = text.replaceAll(from, to);
  }
  // Without TLS no directive may mention it.
  const own = tls === undefined ? text.replaceAll(/^ *ssl_\w+ .*\n/gm, "") : text;
  return nodesTls === undefined ? own : withTlsToNodes(own, nodesTls, directory);
}

/** Has nginx check the configuration, and starts it. Rejects with nginx's output if the configuration is invalid. */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  if ("missing" in nginx) {
    throw new Error(nginx.missing);
  }
  const directory = serverDirectory();
  const port = await freePort();
  const hasTwoPorts = options.tls === undefined && options.configuration !== "tcp.conf";
  const ports = { port, http1Port: hasTwoPorts ? await freePort() : port };
  // Debian's list of modules refers to them relative to the folder in which nginx runs.
  symlinkSync(dirname(STREAM_MODULE), join(directory, "modules"));
  const file = join(directory, "nginx.conf");
  writeFileSync(file, configurationText(options, directory, ports));
  runOnce(nginx.path, ["-t", "-q", "-e", "stderr", "-p", directory, "-c", file], directory);
  const command = [nginx.path, "-p", directory, "-c", file, "-e", "stderr", "-g", "daemon off; master_process off;"] as const;
  const server: ServerProcess = await startServer(command, { cwd: directory, port, crash: "SIGTERM" });
  return {
    ...ports,
    async close() {
      await server.kill();
      removeDirectory(directory);
    },
  };
}
