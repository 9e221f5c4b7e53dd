// The files of deploy/ are what the programs that they are for take, and fit each other and the server's own settings.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../fixtures/program.ts";
import { describeWith, type Found } from "../../fixtures/servers/server-process.ts";
import { nginx, startBalancer } from "../rolling-restart/balancer.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const tool = (name: string): Found =>
  spawnSync("which", [name]).status === 0 ? { path: name } : { missing: `\`${name}\` is not on the PATH` };

const CHECKER = join(import.meta.dirname, "manifests");

// What the checker says of a text. Throws with the fault where it does not take it.
function checked(kind: "kubernetes" | "envoy", input: string): string {
  return execFileSync("go", ["run", "-mod=readonly", ".", kind], {
    cwd: CHECKER,
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });
}

const base = (name: string): string => read(`deploy/kubernetes/base/${name}.yaml`);
const MANIFESTS = ["serviceaccount", "deployment", "service", "poddisruptionbudget", "horizontalpodautoscaler", "networkpolicy"];

describeWith(tool("go"), "manifests", () => {
  test("Kubernetes knows every field of the base", { timeout: 300_000 }, () => {
    expect(checked("kubernetes", MANIFESTS.map(base).join("\n---\n")).trim().split("\n")).toEqual([
      "ServiceAccount",
      "Deployment",
      "Service",
      "Service",
      "PodDisruptionBudget",
      "HorizontalPodAutoscaler",
      "NetworkPolicy",
    ]);
  });

  test("a field that Kubernetes does not know is found", { timeout: 300_000 }, () => {
    const faulty = base("deployment").replace("minReadySeconds", "minimumReadySeconds");
    expect(() => checked("kubernetes", faulty)).toThrow('unknown field "spec.minimumReadySeconds"');
  });

  test("Envoy knows every field of its configuration, and takes their values", { timeout: 300_000 }, () => {
    const text = read("deploy/envoy/envoy.yaml");
    expect(checked("envoy", text)).toBe("");
    expect(() => checked("envoy", text.replace("stat_prefix: quintet", 'stat_prefix: ""'))).toThrow("StatPrefix");
    expect(() => checked("envoy", text.replace("lb_policy", "lb_policies"))).toThrow("lb_policies");
  });
});

describe("the Kubernetes base", () => {
  const numberOf = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);

  test("names all its files", () => {
    const listed = [...base("kustomization").matchAll(/^ {2}- (\w+)\.yaml$/gm)].map(([, name]) => name);
    expect(listed).toEqual(MANIFESTS);
  });

  test("gives a pod the time that the server takes to stop", () => {
    const settings = base("kustomization");
    const delayMs = numberOf(settings, /QUINTET_DRAIN_DELAY_MS=(\d+)/);
    const drainMs = numberOf(settings, /QUINTET_DRAIN_MS=(\d+)/);
    const graceSeconds = numberOf(base("deployment"), /terminationGracePeriodSeconds: (\d+)/);
    // What is left is for the usage, and for leases that are given back.
    expect(graceSeconds * 1000 - delayMs - drainMs).toBeGreaterThanOrEqual(6000);
    // Longer than the readiness probe takes to fail.
    const probe = /readinessProbe:\n(?: {12}.*\n)+/.exec(base("deployment"))?.[0] ?? "";
    const failsAfterMs = 1000 * numberOf(probe, /periodSeconds: (\d+)/) * numberOf(probe, /failureThreshold: (\d+)/);
    expect(delayMs).toBeGreaterThan(failsAfterMs);
  });

  test("sets only what the server knows, and the server takes it", async () => {
    const settings = Object.fromEntries(
      [...base("kustomization").matchAll(/^ {6}- (QUINTET_\w+)=(\S+)$/gm)].map(([, ...pair]) => pair),
    );
    expect(Object.keys(settings).length).toBeGreaterThan(3);
    // The one fault is our own: so all of the others were read and taken.
    const { code, err } = await run("serve", { ...settings, QUINTET_PORT: "none" });
    expect(code).not.toBe(0);
    expect(err.match(/QUINTET_\w+/g)?.filter((name) => name in settings)).toEqual([]);
  });
});

describe("the image", () => {
  const file = read("deploy/Dockerfile");
  const { devDependencies, version } = JSON.parse(read("package.json"));

  test("has the Node that package.json pins, and the product's version", () => {
    expect([/FROM node:([\d.]+)-/.exec(file)?.[1], /ARG VERSION=(\S+)/.exec(file)?.[1]]).toEqual([devDependencies.node, version]);
  });

  test("copies only what .dockerignore lets in, and that is there", () => {
    const letIn = [...read(".dockerignore").matchAll(/^!(\S+)$/gm)].map(([, path]) => path ?? "");
    const copied = [...file.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths]) => paths?.split(" ") ?? []);
    expect(copied.toSorted()).toEqual(letIn.toSorted());
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describeWith(nginx, "nginx", () => {
  const certificates = join(ROOT, "test/http/certificates");
  const tls = { cert: join(certificates, "server.pem"), key: join(certificates, "server.key") };

  test.each([
    { configuration: "nginx.conf", tls },
    { configuration: "tcp.conf", tls: undefined },
  ] as const)("takes $configuration, and serves with it", async ({ configuration, tls: own }) => {
    const nodes = ["127.0.0.1:9", "127.0.0.2:9"] as const;
    const balancer = await startBalancer({ configuration, nodes, ...(own && { tls: own }) });
    expect(balancer.port).toBeGreaterThan(0);
    await balancer.close();
  });
});

describeWith(tool("systemd-analyze"), "the systemd unit", () => {
  const unit = join(ROOT, "deploy/systemd/quintet.service");

  test("has nothing that systemd does not know", () => {
    const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
    // Where Quintet is not installed there is no program to run.
    expect(stderr.split("\n").filter((line) => line !== "" && !line.includes("is not executable"))).toEqual([]);
  });

  test("leaves the server hardly anything but its port and its directory", () => {
    const said = execFileSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", "--no-pager", unit], {
      encoding: "utf8",
    });
    expect(Number(/Overall exposure level for quintet.service: ([\d.]+)/.exec(said)?.[1])).toBeLessThanOrEqual(1.5);
  });
});
