// The files of deploy/ are valid for their programs, and fit each other and the server's own settings.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { dialHttp2, fetchHttp2 } from "../../../packages/http/test/listening.ts";
import { startGateway } from "../../fixtures/gateway.ts";
import { describeWith, type Found } from "../../fixtures/servers/server-process.ts";
import { nginx, startBalancer } from "../rolling-restart/balancer.ts";
import { checked } from "./manifests.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const tool = (name: string): Found =>
  spawnSync("which", [name]).status === 0 ? { path: name } : { missing: `\`${name}\` is not on the PATH` };

describeWith(tool("go"), "Envoy", () => {
  test("accepts every field and value of its configuration", { timeout: 300_000 }, () => {
    const text = read("deploy/envoy/envoy.yaml");
    expect(checked("envoy", text)).toBe("");
    expect(checked("envoy", read("deploy/envoy/cells.yaml"))).toBe("");
    expect(() => checked("envoy", text.replace("stat_prefix: quintet", 'stat_prefix: ""'))).toThrow("StatPrefix");
    expect(() => checked("envoy", text.replace("lb_policy", "lb_policies"))).toThrow("lb_policies");
  });
});

describe("the image", () => {
  const file = read("deploy/Dockerfile");
  const { devDependencies, version } = JSON.parse(read("package.json"));

  test("has the Node that package.json pins, and the product's version", () => {
    expect([/FROM node:([\d.]+)-/.exec(file)?.[1], /ARG VERSION=(\S+)/.exec(file)?.[1]]).toEqual([devDependencies.node, version]);
  });

  test("copies only files that exist and that .dockerignore admits", () => {
    const letIn = [...read(".dockerignore").matchAll(/^!(\S+)$/gm)].map(([, path]) => path ?? "");
    const copied = [...file.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths]) => paths?.split(" ") ?? []);
    expect(copied.toSorted()).toEqual(letIn.toSorted());
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describeWith(nginx, "nginx", () => {
  const certificates = join(ROOT, "packages/http/test/certificates");
  const tls = { cert: join(certificates, "server.pem"), key: join(certificates, "server.key") };

  test.each([
    { configuration: "nginx.conf", tls },
    { configuration: "cells.conf", tls },
    { configuration: "tcp.conf", tls: undefined },
  ] as const)("accepts $configuration, and serves with it", async ({ configuration, tls: own }) => {
    const nodes = ["127.0.0.1:9", "127.0.0.2:9"] as const;
    const balancer = await startBalancer({ configuration, nodes, ...(own && { tls: own }) });
    expect(balancer.port).toBeGreaterThan(0);
    await balancer.close();
  });
});

describeWith(nginx, "nginx with TLS to the nodes, as the guide says,", () => {
  const certificates = join(ROOT, "packages/http/test/certificates");
  const through = async (name: string): Promise<unknown[]> => {
    const gateway = await startGateway({
      variables: { QUINTET_TLS_CERT: join(certificates, "server.pem"), QUINTET_TLS_KEY: join(certificates, "server.key") },
    });
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    const node = new URL(gateway.origin).host;
    const nodesTls = { authority: join(certificates, "authority.pem"), name };
    const balancer = await startBalancer({ configuration: "nginx.conf", nodes: [node, node], nodesTls });
    onTestFinished(async () => {
      await balancer.close();
      await gateway.close();
    });
    const headers = { "x-gateway-key": secret };
    const rest = await fetch(`http://127.0.0.1:${balancer.http1Port}/farkle/v1/score?dice=1`, { headers });
    const path = "/quintet.farkle.v1.FarkleService/Score";
    const head = { ":method": "POST", ":path": path, "content-type": "application/grpc+proto", te: "trailers", ...headers };
    const grpc = await fetchHttp2(dialHttp2(balancer.port), head, Buffer.from([0, 0, 0, 0, 3, 10, 1, 1]));
    return [rest.status, grpc.headers[":status"], grpc.trailers?.["grpc-status"]];
  };

  test("passes calls on, and only to nodes with the right name", async () => {
    expect(await through("localhost")).toEqual([200, 200, "0"]);
    expect((await through("other.internal"))[0]).toBe(502);
  });
});

describeWith(tool("systemd-analyze"), "the systemd unit", () => {
  const unit = join(ROOT, "deploy/systemd/quintet.service");

  test("has only settings that systemd knows", () => {
    const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
    // If Quintet is not installed, there is no program to run.
    expect(stderr.split("\n").filter((line) => line !== "" && !line.includes("is not executable"))).toEqual([]);
  });

  test("confines the server to little more than its port and its directory", () => {
    const said = execFileSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", "--no-pager", unit], {
      encoding: "utf8",
    });
    expect(Number(/Overall exposure level for quintet.service: ([\d.]+)/.exec(said)?.[1])).toBeLessThanOrEqual(1.5);
  });
});
