// Several hosts on one machine: network namespaces with addresses of their own on one bridge, and a DNS server. Everything is inside
// namespaces of this process, so nothing of it can be reached from the machine, and all of it is gone when the process ends.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { get, type RequestOptions } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Found } from "../../fixtures/servers/server-process.ts";

const DNSMASQ = "/usr/sbin/dnsmasq";
const NETWORK = "10.97.0";
const PREFIX = 24;
/** The address of this process, and of the DNS server. */
export const OWN_ADDRESS = `${NETWORK}.1`;

/** Whether hosts can be made here. */
export const network: Found = findNetwork();

function findNetwork(): Found {
  if (
    spawnSync("unshare", ["--net", "--mount", "ip", "link", "add", "try", "type", "veth", "peer", "name", "other"]).status !== 0
  ) {
    return { missing: "no network namespaces can be made: that takes Linux, root, util-linux's unshare and iproute2" };
  }
  return existsSync(DNSMASQ) ? { path: DNSMASQ } : { missing: `dnsmasq is not installed (${DNSMASQ}, Debian's dnsmasq-base)` };
}

/** A command that runs another in new namespaces of processes, mounts and networks, with the network's DNS server as the resolver. */
export function inNewNetwork(folder: string, command: readonly string[]): readonly [string, ...string[]] {
  const resolver = join(folder, "resolv.conf");
  writeFileSync(resolver, `nameserver ${OWN_ADDRESS}\noptions timeout:1\n`);
  const script = [
    "set -e",
    `mount --bind ${resolver} "$(readlink -f /etc/resolv.conf)"`,
    "mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns",
    "ip link set lo up && ip link add hosts type bridge && ip link set hosts up",
    `ip address add ${OWN_ADDRESS}/${PREFIX} dev hosts`,
    'exec "$@"',
  ].join("\n");
  const unshared = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"];
  return ["unshare", ...unshared, "sh", "-c", script, "network", ...command];
}

/** A host: an address, and a prefix for commands that run there. */
export interface Host {
  readonly address: string;
  command(program: readonly string[]): readonly [string, ...string[]];
  /** Takes it from the network. What runs on it must have ended. */
  remove(): void;
}

/** The hosts and their names. Only inside `inNewNetwork`. */
export class Network {
  readonly #names: string;
  readonly #dns;
  readonly #signalled: () => void;
  #hosts = 1;

  constructor(folder: string) {
    mkdirSync(join(folder, "dns"));
    this.#names = join(folder, "dns/names");
    writeFileSync(this.#names, "");
    const args = [
      "--keep-in-foreground",
      "--no-resolv",
      "--no-hosts",
      `--addn-hosts=${this.#names}`,
      "--local-ttl=0",
      "--local=/test/",
    ];
    this.#dns = spawn(
      DNSMASQ,
      [...args, "--pid-file", "--user=root", "--log-facility=/dev/null", `--listen-address=${OWN_ADDRESS}`],
      {
        stdio: "inherit",
      },
    );
    this.#signalled = () => this.#dns.kill("SIGHUP");
  }

  /** Adds a host under a name that is not in DNS. */
  add(name: string): Host {
    this.#hosts += 1;
    const address = `${NETWORK}.${this.#hosts}`;
    const end = `h${this.#hosts}`;
    const ip = (...args: readonly string[]): void => {
      execFileSync("ip", args, { stdio: ["ignore", "ignore", "inherit"] });
    };
    ip("netns", "add", name);
    ip("link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", name);
    ip("link", "set", end, "master", "hosts", "up");
    ip("-n", name, "address", "add", `${address}/${PREFIX}`, "dev", "eth0");
    ip("-n", name, "link", "set", "eth0", "up");
    ip("-n", name, "link", "set", "lo", "up");
    return {
      address,
      command: (program) => ["ip", "netns", "exec", name, ...program],
      remove: () => ip("netns", "delete", name),
    };
  }

  /** Makes the DNS server know exactly these names. */
  publish(names: Readonly<Record<string, readonly string[]>>): void {
    const lines = Object.entries(names).flatMap(([name, addresses]) => addresses.map((address) => `${address} ${name}\n`));
    writeFileSync(this.#names, lines.join(""));
    this.#signalled();
  }

  close(): void {
    this.#dns.kill();
  }
}

/** The status of a call on a connection of its own, with the reason if it failed; undefined if there is no answer in time. */
export const statusOf = (options: RequestOptions, withinMs: number): Promise<number | string | undefined> =>
  new Promise((resolve) => {
    const calling = get({ ...options, agent: false }, (response) => {
      text(response).then(
        (body) => {
          const [, reason] = /"reason":"(\w+)"/.exec(body) ?? [];
          const { statusCode = 0 } = response;
          resolve(reason === undefined ? statusCode : `${statusCode} ${reason}`);
        },
        () => resolve(undefined),
      );
    });
    calling.on("error", () => resolve(undefined));
    calling.setTimeout(withinMs, () => calling.destroy());
  });
