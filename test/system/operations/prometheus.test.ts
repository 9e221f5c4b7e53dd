// The metrics, the alerts and the dashboard, as a real Prometheus has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Running, start } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { sampleCalls } from "../../fixtures/sample-calls.ts";
import { type PrometheusServer, prometheus, promtool, startPrometheus } from "../../fixtures/servers/prometheus.ts";
import { type RedisServer, redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { TIME_LIMITS } from "../../time-limits.ts";

const NO_STATION = "00000000-0000-4000-8000-000000000000";
const RULES = join(ROOT, "deploy/prometheus/alerts.yml");

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

const dashboard = JSON.parse(readFileSync(join(ROOT, "deploy/grafana/quintet.json"), "utf8")) as Dashboard;

// Grafana puts something in the place of these. A long interval holds the calls below, however long the test takes.
const withoutVariables = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "30m").replaceAll("$instance", ".*");

const QUERIES = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expression: withoutVariables(expr) })),
);

const installed = "missing" in prometheus ? prometheus : redis;

describeWith(installed, "Prometheus", () => {
  test("accepts the rules, and each alert fires when it should", () => {
    promtool(["check", "rules", RULES]);
    const tests = join(ROOT, "deploy/prometheus/alerts.test.yml");
    promtool(["test", "rules", tests]);
    const alerts = [...readFileSync(RULES, "utf8").matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const tested = [...readFileSync(tests, "utf8").matchAll(/alertname: (\w+)\n +exp_alerts:\n/g)].map(([, name]) => name);
    expect(tested.toSorted()).toEqual(alerts.toSorted());
  });

  test("accepts the configuration that is shipped", () => {
    promtool(["check", "config", join(ROOT, "deploy/prometheus/prometheus.yml")]);
  });

  const directory = makeTemporaryDirectory();
  let redisServer: RedisServer;
  let server: Running;
  let monitor: PrometheusServer;
  let admin = "";

  beforeAll(async () => {
    redisServer = await startRedis();
    server = start(["sandbox", "--control-port", "0"], {
      QUINTET_PORT: "0",
      QUINTET_ADMIN_PORT: "0",
      QUINTET_DATA_DIR: directory.path,
      QUINTET_REDIS_URL: redisServer.url,
      QUINTET_WORKERS: "2",
      QUINTET_RADIO_FRESH_MS: "60000",
    });
    const [, origin = ""] = await server.until(/serves at (\S+)/);
    const [, key = ""] = await server.until(/key +(qk_test_\w+)\n/);
    const [, found = ""] = await server.until(/metrics +http:\/\/([^/]+)\/metrics/);
    admin = found;
    monitor = await startPrometheus(admin, RULES);
    const headers = { "x-gateway-key": key };
    const callAll = async (): Promise<void> => {
      for (const { rpc, path, query } of sampleCalls(NO_STATION)) {
        if (!rpc.endsWith("/WatchPrices")) {
          await (await fetch(`${origin}${path}?${new URLSearchParams(query)}`, { headers })).arrayBuffer();
        }
      }
      await fetch(`${origin}/farkle/v1/score?dice=1`);
    };
    await callAll();
    // A rate needs two scrapes with something between them.
    await vi.waitUntil(async () => (await monitor.query('count_over_time(up{job="quintet"}[30m]) > 3')).length === 1, {
      timeout: TIME_LIMITS.expect.poll.timeout,
      interval: 100,
    });
    await callAll();
  });

  afterAll(async () => {
    await monitor?.close();
    server?.signal("SIGTERM");
    await server?.ended;
    await redisServer?.close();
    directory.remove();
  });

  test("finds nothing to say against the names, types and units of the metrics", async () => {
    const text = await (await fetch(`http://${admin}/metrics`)).text();
    expect(promtool(["check", "metrics"], text)).toBe("");
  });

  test.each(QUERIES)("answers the dashboard's query for $title with data: $expression", async ({ expression }) => {
    await expect
      .poll(async () => (await monitor.query(expression)).filter(({ value }) => value[1] !== "NaN").length)
      .toBeGreaterThan(0);
  });

  test("knows every metric that an alert asks for", async () => {
    const asked = new Set(readFileSync(RULES, "utf8").match(/\b(?:quintet|process)_\w+/g));
    const missing: string[] = [];
    for (const name of asked) {
      if ((await monitor.query(name)).length === 0) {
        missing.push(name);
      }
    }
    expect(missing).toEqual([]);
  });

  test("raises no alert over a server that is well", async () => {
    expect(await monitor.query('ALERTS{alertstate="firing"}')).toEqual([]);
  });
});
