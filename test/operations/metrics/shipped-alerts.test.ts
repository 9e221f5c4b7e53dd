// The alerts and the dashboard in deploy/: they use only metrics that a server has, and each alert has a test and a runbook. Whether they
// work is tested in a real Prometheus, which not every machine has.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROCESS_FAMILIES } from "../../../src/operations/metrics/process-metrics.ts";
import { type MetricLayout, planLayout } from "../../../src/operations/metrics/worker-metrics.ts";
import { ROOT } from "../../fixtures/root.ts";
import { linkFault } from "../../system/docs/links.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const RULES = read("deploy/prometheus/alerts.yml");
const NAMES = new Set(
  [...Object.values<MetricLayout>(planLayout([]).at).map(({ family }) => family), ...PROCESS_FAMILIES].flatMap(({ name, type }) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  ),
);

test.each(["deploy/prometheus/alerts.yml", "deploy/grafana/quintet.json"])("%s uses only metrics that exist", (path) => {
  const used = [...new Set(read(path).match(/\b(?:quintet|process)_\w+/g))];
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => !NAMES.has(name))).toEqual([]);
});

test("each alert has a test", () => {
  const alerts = Array.from(RULES.matchAll(/- alert: (\w+)/g), ([, name]) => name);
  const tests = read("deploy/prometheus/alerts.test.yml").matchAll(/alertname: (\w+)\n +exp_alerts:\n/g);
  expect(Array.from(tests, ([, name]) => name).toSorted()).toEqual(alerts.toSorted());
});

test("each alert names its runbook, a section of the page about incidents", () => {
  const alerts = RULES.split(/^ +- alert: /m).slice(1);
  const faults = alerts.flatMap((text) => {
    const [name = ""] = text.split("\n");
    const runbook = /runbook: "(docs\/operate\/incidents\.md#.+)"/.exec(text)?.[1];
    const fault = runbook === undefined ? "names no section of docs/operate/incidents.md" : linkFault("README.md", runbook);
    return fault === undefined ? [] : [`${name} ${fault}`];
  });
  expect(faults).toEqual([]);
});
