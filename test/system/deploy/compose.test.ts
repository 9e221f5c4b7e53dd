// deploy/compose/compose.yaml: its addresses, limits and times fit the servers that it starts. Also checks the systemd unit.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { variableDocs } from "../../../src/server-config.ts";
import { ROOT } from "../../fixtures/root.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
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

  describe("as Compose resolves it", () => {
    const { path: folder, remove } = makeTemporaryDirectory();
    const file = join(folder, "compose.yaml");
    const text = read("deploy/compose/compose.yaml");
    // biome-ignore lint/suspicious/noExplicitAny: a project as Compose prints it.
    const resolved = (env: string, change = (all: string) => all): any => {
      writeFileSync(file, change(text));
      writeFileSync(join(folder, ".env"), env);
      writeFileSync(
        join(folder, "quintet.env"),
        "QUINTET_PLANS=/etc/quintet/plans.json\nQUINTET_MAIL_FROM=Quintet <q@example.com>\n",
      );
      return JSON.parse(checked("compose", file));
    };
    afterAll(remove);

    test("has the settings of quintet.env, and the password as it is written in .env", () => {
      const password = `a/b+c== p@ss/w#rd $HOME "%41`;
      const all = resolved(`POSTGRES_PASSWORD='${password}'\n`).services;
      expect(Object.keys(all).toSorted()).toEqual(["migrate", "nginx", "node-1", "node-2", "postgres", "prometheus", "valkey"]);
      for (const name of ["node-1", "node-2", "migrate"]) {
        expect(all[name].environment).toMatchObject({
          PGPASSWORD: password,
          QUINTET_PLANS: "/etc/quintet/plans.json",
          QUINTET_MAIL_FROM: "Quintet <q@example.com>",
          QUINTET_DATABASE_URL: "postgres://quintet@postgres:5432/quintet",
        });
      }
      expect(all.postgres.environment.POSTGRES_PASSWORD).toBe(password);
    });

    test("has each file of the project that it mounts", () => {
      const mounts: { type: string; source: string }[] = Object.values<{ volumes?: [] }>(
        resolved("POSTGRES_PASSWORD=x\n").services,
      ).flatMap(({ volumes = [] }) => volumes);
      const sources = new Set(mounts.filter(({ type }) => type === "bind").map(({ source }) => relative(folder, source)));
      // The operator makes the two folders.
      expect([...sources].toSorted()).toEqual(["../nginx/nginx.conf", "../prometheus/alerts.yml", "etc", "tls"]);
      expect([...sources].filter((path) => path.startsWith("..") && !existsSync(join(ROOT, "deploy/compose", path)))).toEqual([]);
    });

    test("is refused without a password, and with a field that Compose does not have", () => {
      expect(() => resolved("")).toThrow("Set POSTGRES_PASSWORD in .env");
      expect(() => resolved("POSTGRES_PASSWORD=x\n", (all) => all.replace("mem_limit: 384m", "memory_limit: 384m"))).toThrow(
        "services.valkey.memory_limit",
      );
    });
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
