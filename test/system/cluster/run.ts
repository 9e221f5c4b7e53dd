// `npm run test:cluster`: three pods with addresses of their own, as the Kubernetes manifests describe them, over PostgreSQL and Redis, behind
// nginx and under a name in DNS, are replaced one after another while clients call and a customer changes keys. Exits with 1 if a call was lost
// or was not counted, a pod did not obey, or one more call was admitted than the plan includes.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import { ROOT } from "../../fixtures/root.ts";
import { postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { redis } from "../../fixtures/servers/redis.ts";
import { lend, serverDirectory, startServer } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { buildOurImage, CMD, ENTRYPOINT, imagePackages } from "../deploy/image/our-image.ts";
import { checked, rendered } from "../deploy/manifests.ts";
import { nginx } from "../rolling-restart/balancer.ts";
import type { Tally } from "../rolling-restart/caller.ts";
import { curl } from "../rolling-restart/callers/curl.ts";
import { grpcJs } from "../rolling-restart/callers/grpc-js.ts";
import { undiciCallers } from "../rolling-restart/callers/undici.ts";
import { Deployment, type DeploymentManifest, type Pod } from "./deployment.ts";
import { inNewNetwork, Network, network, OWN_ADDRESS, statusOf } from "./network.ts";

const REPLICAS = 3;
const REDIS_PORT = 6379;
const BALANCER_PORT = 443;
const SMALL = 300;
const CALL_MS_MAX = 30_000;
const ATTEMPTS_MAX = 10;
const NAME = "quintet-headless.quintet.svc.cluster.test";
/** How long a cluster takes until its balancer and its DNS know a change of the pods. */
const PUBLISHING_MS = 3000;
/** It usually takes a minute and a half, most of which it waits. */
const RUN_MS_MAX = 900_000;

interface KubernetesObject {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** Makes what takes a network to make, and runs the rest in namespaces. */
function outside(): number {
  for (const found of [network, imagePackages, postgres, redis, nginx]) {
    if ("missing" in found) {
      process.stdout.write(`not possible here: ${found.missing}\n`);
      return 1;
    }
  }
  const { path, remove } = makeTemporaryDirectory();
  try {
    const lines = checked("kubernetes", rendered(join(ROOT, "deploy/kubernetes/base"))).trim();
    writeFileSync(join(path, "objects.json"), `[${lines.replaceAll("\n", ",")}]`);
    const [command, ...args] = inNewNetwork(path, [process.execPath, import.meta.filename, path]);
    return spawnSync(command, args, { stdio: "inherit", timeout: RUN_MS_MAX, killSignal: "SIGKILL" }).status ?? 1;
  } finally {
    remove();
  }
}

/** nginx with deploy/nginx/tcp.conf, on a host of its own, in front of whatever addresses it is given. */
async function startBalancer(all: Network, port: number) {
  const host = all.add("balancer");
  const directory = serverDirectory();
  // Debian's list of modules refers to them relative to the folder in which nginx runs.
  symlinkSync("/usr/lib/nginx/modules", join(directory, "modules"));
  const file = join(directory, "nginx.conf");
  const template = readFileSync(join(ROOT, "deploy/nginx/tcp.conf"), "utf8")
    .replace("pid /run/nginx.pid;", `pid ${directory}/nginx.pid;`)
    .replace("worker_processes auto;", "worker_processes 1; user root;")
    .replace(/^worker_rlimit_nofile.*\n/m, "");
  const write = (addresses: readonly string[]): void => {
    const servers = addresses.map((address) => `server ${address}:${port} max_fails=1 fail_timeout=1s;`);
    const text = template.replace(/(upstream quintet \{)[^}]*\}/, `$1\n    ${servers.join("\n    ")}\n  }`);
    writeFileSync(file, text.replace("stream {", "stream {\n  access_log off;"));
  };
  const command = host.command(["/usr/sbin/nginx", "-p", directory, "-c", file, "-e", "stderr"]);
  const run = (...more: readonly string[]): void => {
    const [program, ...args] = command;
    // Not a pipe: it stays open as long as nginx runs, and would be waited for.
    const { status } = spawnSync(program, [...args, ...more], { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) {
      throw new Error(`nginx ${more.join(" ")} ended with ${status}`);
    }
  };
  let isStarted = false;
  return {
    address: host.address,
    publish(addresses: readonly string[]): void {
      // nginx accepts no upstream without servers. Then the last ones stay, and refuse.
      if (addresses.length === 0) {
        return;
      }
      write(addresses);
      run(...(isStarted ? ["-s", "reload"] : []));
      isStarted = true;
    },
  };
}

/** The status of a call to one pod or to the balancer. */
const call = (host: string, port: number, key: string): Promise<number | string | undefined> =>
  statusOf({ host, port, path: "/farkle/v1/score?dice=1", headers: { "x-gateway-key": key } }, CALL_MS_MAX);

/**
 * The same to a pod, of a caller who repeats a call while the pod may not ask the database. It refuses so once that has been silent for a
 * quarter of a second, which happens on a busy machine, and says so in its log. Any other refusal is final.
 */
async function callPatiently({ host, server }: Pod, port: number, key: string): Promise<number | string | undefined> {
  for (let attempts = 1; ; attempts++) {
    const status = await call(host.address, port, key);
    const isExplained = /The store does not respond|cannot be received; trying again/.test(server.printed.err);
    if (attempts === ATTEMPTS_MAX || status !== "503 LIMITS_UNAVAILABLE" || !isExplained) {
      return status;
    }
    await passed(1000);
  }
}

async function inside(folder: string): Promise<number> {
  const objects = JSON.parse(readFileSync(join(folder, "objects.json"), "utf8")) as KubernetesObject[];
  const manifest = objects.find(({ kind }) => kind === "Deployment") as unknown as DeploymentManifest;
  const settings = objects.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
  const image = buildOurImage(join(folder, "image"));
  // A kubelet writes it into every container.
  writeFileSync(join(image.path, "etc/resolv.conf"), readFileSync("/etc/resolv.conf"));
  const plan = { requestsPerSecond: 100_000 };
  const plans = planFile({
    farkle: [
      { ...plan, name: "free", callsPerMonth: 1_000_000 },
      { ...plan, name: "small", callsPerMonth: SMALL },
    ],
  });
  writeFileSync(join(image.path, "etc/plans.json"), plans);

  const all = new Network(folder);
  const names: Record<string, readonly string[]> = { "db.test": [OWN_ADDRESS] };
  const directory = serverDirectory();
  writeFileSync(join(folder, "hba.conf"), "host all all 0.0.0.0/0 trust\n");
  const database = await startPostgres(undefined, { listen_addresses: "*", hba_file: lend(join(folder, "hba.conf"), directory) });
  const redisArgs = ["--bind", "0.0.0.0", "--protected-mode", "no", "--save", "", "--port", String(REDIS_PORT)];
  const redisPath = "path" in redis ? redis.path : "";
  const cache = await startServer([redisPath, ...redisArgs], { cwd: directory, port: REDIS_PORT, crash: "SIGKILL" });

  const port = 8080;
  const balancer = await startBalancer(all, port);
  mkdirSync(join(folder, "pods"));
  const deployment: Deployment = new Deployment({
    manifest,
    replicas: REPLICAS,
    image,
    entrypoint: ENTRYPOINT,
    cmd: CMD,
    environment: {
      ...image.environment,
      ...DEAD_UPSTREAMS,
      ...settings,
      QUINTET_DATABASE_URL: (await database.createDatabase()).replace("127.0.0.1", "db.test"),
      QUINTET_REDIS_URL: `redis://db.test:${REDIS_PORT}`,
      QUINTET_PLANS: "/etc/plans.json",
    },
    network: all,
    folder: join(folder, "pods"),
    async onEndpoints(addresses) {
      await passed(PUBLISHING_MS);
      balancer.publish(addresses);
      names[NAME] = addresses;
      all.publish(names);
    },
  });
  all.publish(names);
  await deployment.start();
  await passed(2 * PUBLISHING_MS);

  const faults: string[] = [];
  const quintet = async (pod: Pod, line: string): Promise<string> => {
    const { code, out, err } = await deployment.exec(pod, ["/usr/local/bin/quintet", ...line.split(" ")]).ended;
    // A busy server may confirm a change later than the command waits. It obeys when it answers, which is checked.
    if (code !== 0) {
      faults.push(`quintet ${line}: ${code} ${out}${err}`);
    }
    return out;
  };
  const subscribed = async (account: string, name: string): Promise<string> => {
    const [pod] = deployment.ready as [Pod];
    await quintet(pod, `account create ${account}`);
    await quintet(pod, `subscription create ${account} farkle --plan ${name}`);
    return newKey(pod, account);
  };
  const newKey = async (pod: Pod, account: string): Promise<string> =>
    JSON.parse(await quintet(pod, `key create ${account} --json`)).secret;
  const key = await subscribed("acme", "free");
  const small = await subscribed("small", "small");
  const changing = await subscribed("changing", "free");

  const behind = { hosts: [balancer.address], port: BALANCER_PORT, http1Port: BALANCER_PORT, key };
  const callers = [
    ...[...undiciCallers, curl, grpcJs].map((caller) => ({ name: caller.name, route: behind, caller })),
    { name: "grpc-js, by DNS", route: { ...behind, port, name: NAME }, caller: grpcJs },
  ];
  const calling = callers.map(({ caller, route }) => caller.start(route));
  let isOver = false;
  let admitted = 0;
  const spending = (async () => {
    while (!isOver) {
      const status = await call(balancer.address, BALANCER_PORT, small);
      admitted += status === 200 ? 1 : 0;
      // Some of what is left may be leased by another pod.
      const isRight = status === 200 ? admitted <= SMALL : status === "429 QUOTA_EXCEEDED" && admitted > 0.8 * SMALL;
      if (!isRight) {
        faults.push(`${status} after ${admitted} of ${SMALL} calls`);
      }
      await passed(100);
    }
  })();
  // A key is made on one pod and works on all, and is revoked on one and refused by all.
  let changes = 0;
  const customer = (async () => {
    while (!isOver) {
      const pods = deployment.ready;
      const pod = pods[changes % pods.length] as Pod;
      const secret = await newKey(pod, "changing");
      const made = await Promise.all(deployment.ready.map((each) => callPatiently(each, port, secret)));
      const { keys } = JSON.parse(await quintet(pod, "key list changing --json"));
      await quintet(pod, `key revoke ${keys.find((each: { last_four: string }) => secret.endsWith(each.last_four)).id}`);
      const revoked = await Promise.all(deployment.ready.map((each) => callPatiently(each, port, secret)));
      if (made.some((status) => status !== 200) || revoked.some((status) => status !== "401 KEY_REVOKED")) {
        faults.push(`a new key got ${made}, and after it was revoked ${revoked}`);
      }
      changes++;
      await passed(1000);
    }
  })();
  const before = deployment.ready.map(({ host }) => host.address);
  await deployment.rollOut();
  await passed(PUBLISHING_MS);
  const after = deployment.ready.map(({ host }) => host.address);
  isOver = true;
  await Promise.all([spending, customer]);
  const tallies: Tally[] = await Promise.all(calling.map((one) => one.stop()));
  if (after.length !== REPLICAS || after.some((address) => before.includes(address))) {
    faults.push(`the pods were ${before}, and are ${after}`);
  }
  if ((await call(after[0] as string, port, changing)) !== 200) {
    faults.push("a key from before is refused");
  }
  await deployment.stop();
  faults.push(...deployment.faults);

  const answered = tallies.reduce((sum, tally) => sum + tally.answered, 0);
  for (const [index, { answered: calls, limited, lost }] of tallies.entries()) {
    const { name } = callers[index] as (typeof callers)[number];
    process.stdout.write(`${name}: ${calls} answered\n`);
    faults.push(...Object.entries(lost).map(([why, times]) => `${name} has lost ${times}: ${why}`));
    if (calls === 0 || limited > 0) {
      faults.push(`${name}: ${calls} answered, ${limited} refused for the rate`);
    }
  }
  process.stdout.write(
    `pods ${before} became ${after}; ${changes} keys made and revoked; ${admitted} of ${SMALL} calls of a small plan\n`,
  );
  process.stdout.write(`answered ${answered}\n`);
  // The servers have written their counts.
  for (const [account, calls] of [
    ["acme", answered],
    ["small", admitted],
  ] as const) {
    const { services } = JSON.parse((await deployment.run(`usage ${account} --service farkle --json`)).out);
    if (services[0].counted !== calls || services[0].standing.leased !== calls) {
      faults.push(`${account} got ${calls} calls, but the servers counted ${JSON.stringify(services[0])}`);
    }
  }
  await cache.kill();
  await database.close();
  all.close();
  for (const fault of faults) {
    process.stdout.write(`FAULT ${fault}\n`);
  }
  return faults.length === 0 ? 0 : 1;
}

const [folder] = process.argv.slice(2);
// What still runs in the namespaces ends with this process.
process.exit(folder === undefined ? outside() : await inside(folder));
