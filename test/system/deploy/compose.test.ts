// deploy/compose/compose.yaml: its addresses, limits and times fit the servers that it starts. Also checks the systemd unit.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { variableDocs } from "../../../src/server-config.ts";
import { ROOT } from "../../fixtures/root.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { checked } from "./manifests.ts";

const go = spawnSync("go", ["version"]).status === 0 ? { path: "go" } : { missing: "`go` is not on the PATH" };
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
// The time that the server may take by default, and ten seconds to write the usage and return unspent calls.
const defaultOf = (name: string): number => Number(variableDocs().find((variable) => variable.name === name)?.fallback);
const STOP_SECONDS = (defaultOf("QUINTET_DRAIN_DELAY_MS") + defaultOf("QUINTET_DRAIN_MS")) / 1000 + 10;

describeWith(go, "compose.yaml", () => {
  const { services, networks, configs } = JSON.parse(checked("yaml", read("deploy/compose/compose.yaml")));
  const nodes = [services["node-1"], services["node-2"]];

  test("lets the nodes trust nginx at its fixed address, and no other peer", () => {
    const address = services.nginx.networks.outside.ipv4_address;
    expect(nodes.map(({ environment }) => environment.QUINTET_TRUSTED_PROXIES)).toEqual([address, address]);
    // The addresses that Docker assigns are in the upper half.
    expect(networks.outside.ipam.config).toEqual([{ subnet: "10.213.0.0/24", ip_range: "10.213.0.128/25" }]);
    expect(address).toMatch(/^10\.213\.0\.(?:[2-9]|[1-9]\d|1[01]\d|12[0-7])$/);
  });

  test("limits the memory and the log of every container", () => {
    for (const [name, { mem_limit, logging }] of Object.entries<{ mem_limit?: string; logging?: unknown }>(services)) {
      expect({ name, mem_limit, logging }).toEqual({
        name,
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        logging: { driver: "local", options: { "max-size": "20m", "max-file": "5" } },
      });
    }
  });

  test("gives the nodes the password apart from the URL, so that it may have any character", () => {
    const own = services.postgres.environment.POSTGRES_PASSWORD;
    for (const { environment } of [...nodes, services.migrate]) {
      expect([environment.QUINTET_DATABASE_URL, environment.PGPASSWORD]).toEqual(["postgres://quintet@postgres:5432/quintet", own]);
    }
  });

  test("lets Prometheus scrape the nodes at their admin ports", () => {
    const { content } = configs.prometheus;
    const config = JSON.parse(checked("yaml", content));
    const ports = nodes.map(({ environment }) => environment.QUINTET_ADMIN_PORT);
    expect(config.scrape_configs[0].static_configs[0].targets).toEqual([`node-1:${ports[0]}`, `node-2:${ports[1]}`]);
    expect(config.scrape_configs[0].job_name).toBe("quintet");
    expect(config.rule_files).toEqual(["alerts.yml"]);
  });

  test("gives a node enough time to stop", () => {
    expect(nodes.map(({ stop_grace_period }) => stop_grace_period)).toEqual([`${STOP_SECONDS}s`, `${STOP_SECONDS}s`]);
  });
});

test("the systemd unit starts what the guide says, and gives it enough time to stop", () => {
  const unit = read("deploy/systemd/quintet.service");
  const [, command] = /npm run build:server\n(node_modules\/.+)\n/.exec(read("docs/operate.md")) ?? [];
  expect(/^ExecStart=(.+)$/m.exec(unit)?.[1]).toBe(`/opt/quintet/${command}`);
  expect(/^TimeoutStopSec=(.+)$/m.exec(unit)?.[1]).toBe(String(STOP_SECONDS));
});
