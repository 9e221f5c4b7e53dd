// The metrics, the alerts and the dashboard in a real Prometheus.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENT_UPSTREAMS } from "../../fixtures/patient-upstreams.ts";
import { type Running, start } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { sampleCalls } from "../../fixtures/sample-calls.ts";
import { type PrometheusServer, prometheus, promtool, startPrometheus } from "../../fixtures/servers/prometheus.ts";
import { type RedisServer, redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { TIME_LIMITS } from "../../time-limits.ts";

const NO_STATION = "00000000-0000-4000-8000-000000000000";
const CERTIFICATES = join(ROOT, "packages/http/test/certificates");
const RULES = join(ROOT, "deploy/prometheus/alerts.yml");

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

const dashboard = JSON.parse(readFileSync(join(ROOT, "deploy/grafana/quintet.json"), "utf8")) as Dashboard;

// Grafana replaces these. A long interval covers the calls below, however long the test takes.
const withoutVariables = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "30m").replaceAll("$instance", ".*");

const QUERIES = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expression: withoutVariables(expr) })),
);

const installed = "missing" in prometheus ? prometheus : redis;

describeWith(installed, "Prometheus", () => {
  test("accepts the rules, and each alert fires when it should", () => {
    promtool(["check", "rules", RULES]);
    promtool(["test", "rules", join(ROOT, "deploy/prometheus/alerts.test.yml")]);
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
      ...PATIENT_UPSTREAMS,
      QUINTET_TLS_CERT: join(CERTIFICATES, "server.pem"),
      QUINTET_TLS_KEY: join(CERTIFICATES, "server.key"),
    });
    const [, origin = ""] = await server.until(/serves at (\S+)/);
    const [, key = ""] = await server.until(/key +(qk_test_\w+)\n/);
    const [, found = ""] = await server.until(/metrics +http:\/\/([^/]+)\/metrics/);
    admin = found;
    monitor = await startPrometheus(admin, RULES);
    const headers = { "x-gateway-key": key };
    const dispatcher = new Agent({ connect: { ca: readFileSync(join(CERTIFICATES, "authority.pem")) } });
    const callAll = async (): Promise<void> => {
      for (const { rpc, path, query } of sampleCalls(NO_STATION)) {
        if (!rpc.endsWith("/WatchPrices")) {
          await (await fetch(`${origin}${path}?${new URLSearchParams(query)}`, { headers, dispatcher })).arrayBuffer();
        }
      }
      await fetch(`${origin}/farkle/v1/score?dice=1`, { dispatcher });
    };
    await callAll();
    // A rate needs two scrapes with a change between them.
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

  test("finds nothing wrong with the names, types and units of the metrics", async () => {
    const text = await (await fetch(`http://${admin}/metrics`)).text();
    expect(promtool(["check", "metrics"], text)).toBe("");
  });

  test.each(QUERIES)("returns data for the dashboard's query for $title: $expression", async ({ expression }) => {
    await expect
      .poll(async () => (await monitor.query(expression)).filter(({ value }) => value[1] !== "NaN").length)
      .toBeGreaterThan(0);
  });

  test("knows every metric that an alert uses", async () => {
    const requested = new Set(readFileSync(RULES, "utf8").match(/\b(?:quintet|process)_\w+/g));
    for (const name of requested) {
      // On a busy machine a scrape may come too late, and then there is no data until the next.
      await expect.poll(async () => (await monitor.query(name)).length, { message: name }).toBeGreaterThan(0);
    }
  });

  test("raises no alert for a healthy server", async () => {
    expect(await monitor.query('ALERTS{alertstate="firing"}')).toEqual([]);
  });
});
