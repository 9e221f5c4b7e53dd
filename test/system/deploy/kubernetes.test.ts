// What is sent to a cluster: the overlay of docs/operate/deploy.md with monitoring, rendered by kustomize, and the chart, rendered by helm.
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { kubernetesSchemas } from "./kubernetes-schemas.ts";
import { checked, helm, kubeconform, rendered } from "./manifests.ts";

const OVERLAY =
  /```yaml\n(apiVersion: kustomize.*?)```/s.exec(readFileSync(join(ROOT, "docs/operate/deploy.md"), "utf8"))?.[1] ?? "";
const LABELS = { "app.kubernetes.io/name": "quintet" };
const go = spawnSync("go", ["version"]).status === 0 ? { path: "go" } : { missing: "`go` is not on the PATH" };

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
}

// Every value, different from its default.
const OTHER_VALUES = {
  image: {
    repository: "registry.example/own",
    tag: "1.2.3",
    digest: `sha256:${"0".repeat(64)}`,
    pullSecrets: [{ name: "registry" }],
  },
  secret: "own",
  settings: { QUINTET_WORKERS: "4", QUINTET_DRAIN_DELAY_MS: "10500" },
  resources: { requests: { cpu: "4", memory: "1Gi" }, limits: { memory: "2Gi" } },
  autoscaling: { minReplicas: 3, maxReplicas: 9, targetCPU: 50 },
  networkPolicy: { enabled: false },
  podMonitor: { enabled: true, interval: "30s" },
  env: [{ name: "QUINTET_SMTP_URL", valueFrom: { secretKeyRef: { name: "mail", key: "url" } } }],
  envFrom: [{ secretRef: { name: "more" } }],
  volumes: [{ name: "plans", configMap: { name: "plans" } }],
  volumeMounts: [{ name: "plans", mountPath: "/etc/quintet/plans", readOnly: true }],
  tls: true,
  podAnnotations: { "example.com/team": "data" },
  nodeSelector: { "kubernetes.io/arch": "amd64" },
  tolerations: [{ key: "api", operator: "Exists", effect: "NoSchedule" }],
  ingress: {
    enabled: true,
    className: "nginx",
    annotations: { "nginx.ingress.kubernetes.io/backend-protocol": "GRPC" },
    host: "api.example.com",
    tlsSecret: "api-tls",
  },
};

const databaseUrlOf = (secret: string) => ({
  name: "QUINTET_DATABASE_URL",
  valueFrom: { secretKeyRef: { name: secret, key: "QUINTET_DATABASE_URL" } },
});

function writeValues(folder: string, values: object): string {
  const path = join(folder, "values.json");
  writeFileSync(path, JSON.stringify(values));
  return path;
}

// The name of the ConfigMap ends with a hash of its content, which each program computes differently.
// biome-ignore lint/suspicious/noExplicitAny: what Kubernetes has parsed with its own types.
function byName(objects: readonly (Named & Record<string, any>)[]): Record<string, any> {
  const text = JSON.stringify(objects).replaceAll(/"quintet-[0-9a-z]{10}"/g, '"quintet-HASH"');
  return Object.fromEntries(JSON.parse(text).map((object: Named) => [`${object.kind} ${object.metadata.name}`, object]));
}

describeWith(go, "the Kubernetes manifests", () => {
  const { path: folder, remove } = makeTemporaryDirectory();
  let manifests = "";
  // biome-ignore lint/suspicious/noExplicitAny: what Kubernetes has parsed with its own types.
  let objects: (Named & Record<string, any>)[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const the = (kind: string, name = "quintet"): any =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);
  const pods = () => the("Deployment").spec.template;
  const server = () => pods().spec.containers[0];
  const settings = (): Record<string, string> => objects.find(({ kind }) => kind === "ConfigMap")?.data;

  beforeAll(() => {
    cpSync(join(ROOT, "deploy/kubernetes"), folder, { recursive: true });
    mkdirSync(join(folder, "overlay"));
    writeFileSync(join(folder, "overlay/kustomization.yaml"), `${OVERLAY}components: [../monitoring]\n`);
    manifests = rendered(join(folder, "overlay"));
    objects = checked("kubernetes", manifests)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  });
  afterAll(remove);

  test("have only fields that are known to Kubernetes and the Prometheus operator", () => {
    expect(
      objects.map(({ kind, metadata }) => `${metadata.namespace} ${kind} ${metadata.name.replace(/-\w{10}$/, "-HASH")}`),
    ).toEqual([
      "quintet ServiceAccount quintet",
      "quintet ConfigMap quintet-HASH",
      "quintet Service quintet",
      "quintet Service quintet-headless",
      "quintet Deployment quintet",
      "quintet PodDisruptionBudget quintet",
      "quintet HorizontalPodAutoscaler quintet",
      "quintet PodMonitor quintet",
      "quintet NetworkPolicy quintet",
    ]);
    const faulty = manifests.replace("minReadySeconds", "minimumReadySeconds");
    expect(() => checked("kubernetes", faulty)).toThrow('unknown field "spec.minimumReadySeconds"');
  });

  test("conform to Kubernetes' own schemas, as kubeconform reads them", () => {
    const location = kubernetesSchemas(join(folder, "schemas"));
    const valid = { valid: 8, invalid: 0, errors: 0, skipped: 1 };
    expect(kubeconform(manifests, location)).toEqual({ resources: [], summary: valid });
    const faulty = manifests.replace("minReplicas: 2", "minReplicas: two").replace("minReadySeconds", "minimumReadySeconds");
    const { resources, summary } = kubeconform(faulty, location);
    expect(summary).toEqual({ ...valid, valid: 6, invalid: 2 });
    expect(resources.map(({ msg }) => msg).toSorted()).toEqual([
      expect.stringContaining("additional properties 'minimumReadySeconds' not allowed"),
      expect.stringContaining("at '/spec/minReplicas': got string, want integer"),
    ]);
  });

  test("select the server's pods, and no other pods of the namespace", () => {
    expect(pods().metadata.labels).toEqual(LABELS);
    const selectors = {
      Deployment: the("Deployment").spec.selector,
      Service: { matchLabels: the("Service").spec.selector },
      headless: { matchLabels: the("Service", "quintet-headless").spec.selector },
      PodDisruptionBudget: the("PodDisruptionBudget").spec.selector,
      NetworkPolicy: the("NetworkPolicy").spec.podSelector,
      PodMonitor: the("PodMonitor").spec.selector,
      nodes: pods().spec.topologySpreadConstraints[0].labelSelector,
      zones: pods().spec.topologySpreadConstraints[1].labelSelector,
    };
    expect(selectors).toEqual(Object.fromEntries(Object.keys(selectors).map((name) => [name, { matchLabels: LABELS }])));
  });

  test("refer to ports, settings and an account that exist", () => {
    const ports = server().ports.map(({ name }: { name: string }) => name);
    const { readinessProbe, livenessProbe, startupProbe } = server();
    const [callers, monitoring] = the("NetworkPolicy").spec.ingress;
    const named = [
      ...[the("Service"), the("Service", "quintet-headless")].map(({ spec }) => spec.ports[0].targetPort),
      ...[readinessProbe, livenessProbe, startupProbe].map(({ httpGet }) => httpGet.port),
      ...[callers.ports[0].port, monitoring.ports[0].port, the("PodMonitor").spec.podMetricsEndpoints[0].port],
    ];
    expect(ports.toSorted()).toEqual([...new Set(named)].toSorted());
    const configMap = objects.find(({ kind }) => kind === "ConfigMap")?.metadata.name;
    const from = [{ configMapRef: { name: configMap } }, { secretRef: { name: "quintet" } }];
    expect([server().envFrom, pods().spec.initContainers[0].envFrom]).toEqual([from, from]);
    const env = [databaseUrlOf("quintet")];
    expect([server().env, pods().spec.initContainers[0].env]).toEqual([env, env]);
    expect(pods().spec.serviceAccountName).toBe(the("ServiceAccount").metadata.name);
    expect(the("HorizontalPodAutoscaler").spec.scaleTargetRef).toMatchObject({ kind: "Deployment", name: "quintet" });
    expect(new Set([server().image, pods().spec.initContainers[0].image])).toEqual(new Set(["registry.example/quintet:0.1.0"]));
  });

  test("allow the pods to reach what a server depends on", () => {
    const egress: { ports: { port: number }[]; to?: unknown }[] = the("NetworkPolicy").spec.egress;
    expect(egress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[53, 53], [5432, 6379], [465, 587, 4318], [443]]);
  });

  test("give a pod enough time for the server to stop", () => {
    const { QUINTET_DRAIN_DELAY_MS: delayMs, QUINTET_DRAIN_MS: drainMs } = settings();
    // The rest is for writing the usage and returning leases.
    expect(pods().spec.terminationGracePeriodSeconds * 1000 - Number(delayMs) - Number(drainMs)).toBe(10_000);
    // Longer than the readiness probe takes to fail.
    const { periodSeconds, failureThreshold } = server().readinessProbe;
    expect(Number(delayMs)).toBeGreaterThan(1000 * periodSeconds * failureThreshold);
  });

  test("set only what the server knows and accepts", async () => {
    const set = settings();
    expect(Object.keys(set).length).toBeGreaterThan(3);
    // The only fault is the one added here, so all other settings were accepted.
    const { code, err } = await run("serve", { ...set, QUINTET_PORT: "none" });
    expect(code).not.toBe(0);
    expect(err.match(/QUINTET_\w+/g)?.filter((name) => name in set)).toEqual([]);
  });

  describe("the Helm chart", () => {
    const VALUES = ["--namespace=quintet", "--set=podMonitor.enabled=true"];
    const templated = (...args: readonly string[]): string => helm("template", ...VALUES, ...args);

    test("makes the same objects as the overlay", () => {
      const ofChart = checked("kubernetes", templated()).trim().split("\n");
      expect(byName(ofChart.map((line) => JSON.parse(line)))).toEqual(byName(objects));
    });

    test("accepts every value that it describes", () => {
      const lines = checked("kubernetes", templated("--values", writeValues(folder, OTHER_VALUES)))
        .trim()
        .split("\n");
      const created = byName(lines.map((line) => JSON.parse(line)));
      const deployment = created["Deployment quintet"];
      expect({
        image: deployment.spec.template.spec.containers[0].image,
        pull: deployment.spec.template.spec.imagePullSecrets,
        grace: deployment.spec.template.spec.terminationGracePeriodSeconds,
        from: deployment.spec.template.spec.containers[0].envFrom.slice(1),
        env: deployment.spec.template.spec.initContainers[0].env,
        mounts: deployment.spec.template.spec.containers[0].volumeMounts,
        volumes: deployment.spec.template.spec.volumes.slice(1),
        probe: deployment.spec.template.spec.containers[0].readinessProbe.httpGet,
        annotations: deployment.spec.template.metadata.annotations,
        nodes: deployment.spec.template.spec.nodeSelector,
        tolerations: deployment.spec.template.spec.tolerations,
        ingress: [created["Ingress quintet"].metadata.annotations, created["Ingress quintet"].spec],
        settings: created["ConfigMap quintet-HASH"].data,
        resources: deployment.spec.template.spec.containers[0].resources,
        replicas: [
          created["HorizontalPodAutoscaler quintet"].spec.minReplicas,
          created["HorizontalPodAutoscaler quintet"].spec.maxReplicas,
        ],
        policy: created["NetworkPolicy quintet"],
        monitor: created["PodMonitor quintet"].spec.podMetricsEndpoints[0].interval,
      }).toEqual({
        image: `registry.example/own@sha256:${"0".repeat(64)}`,
        pull: [{ name: "registry" }],
        grace: 31,
        from: [{ secretRef: { name: "own" } }, ...OTHER_VALUES.envFrom],
        env: [databaseUrlOf("own"), ...OTHER_VALUES.env],
        mounts: [{ name: "data", mountPath: "/data" }, ...OTHER_VALUES.volumeMounts],
        volumes: OTHER_VALUES.volumes,
        probe: { path: "/readyz", port: "quintet", scheme: "HTTPS" },
        annotations: OTHER_VALUES.podAnnotations,
        nodes: OTHER_VALUES.nodeSelector,
        tolerations: OTHER_VALUES.tolerations,
        ingress: [
          OTHER_VALUES.ingress.annotations,
          {
            ingressClassName: "nginx",
            tls: [{ hosts: ["api.example.com"], secretName: "api-tls" }],
            rules: [
              {
                host: "api.example.com",
                http: {
                  paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "quintet", port: { name: "quintet" } } } }],
                },
              },
            ],
          },
        ],
        settings: {
          QUINTET_ADMIN_HOST: "0.0.0.0",
          QUINTET_ADMIN_PORT: "9464",
          QUINTET_CONNECTIONS_PER_ADDRESS_MAX: "0",
          QUINTET_DRAIN_DELAY_MS: "10500",
          QUINTET_DRAIN_MS: "10000",
          QUINTET_WORKERS: "4",
        },
        resources: { requests: { cpu: "4", memory: "1Gi" }, limits: { memory: "2Gi" } },
        replicas: [3, 9],
        policy: undefined,
        monitor: "30s",
      });
    });

    const mounted = (name: string, volume: object) => ({
      volumes: [{ name, ...volume }],
      volumeMounts: [{ name, mountPath: `/etc/quintet/${name}`, readOnly: true }],
    });
    test.each<readonly [what: string, values: object, objects: number]>([
      ["its defaults", {}, 8],
      ["every value", OTHER_VALUES, 8],
      [
        "a plan file",
        { ...mounted("plans", { configMap: { name: "plans" } }), settings: { QUINTET_PLANS: "/etc/quintet/plans/plans.json" } },
        8,
      ],
      ["a database's authority", { secret: "database", ...mounted("authority", { secret: { secretName: "database-ca" } }) }, 8],
      [
        "TLS",
        {
          tls: true,
          ...mounted("tls", { secret: { secretName: "tls", defaultMode: 288 } }),
          settings: { QUINTET_TLS_CERT: "/etc/quintet/tls/tls.crt", QUINTET_TLS_KEY: "/etc/quintet/tls/tls.key" },
        },
        8,
      ],
      ["an ingress", { ingress: { enabled: true, host: "api.example.com" } }, 9],
      ["mail", { env: [{ name: "QUINTET_SMTP_URL", valueFrom: { secretKeyRef: { name: "mail", key: "url" } } }] }, 8],
    ])("conforms to Kubernetes' own schemas with %s", (_, values, objects) => {
      const text = templated("--values", writeValues(folder, values));
      checked("kubernetes", text);
      const { resources, summary } = kubeconform(text, kubernetesSchemas(join(folder, "schemas")));
      expect([resources, summary]).toEqual([[], { valid: objects, invalid: 0, errors: 0, skipped: 1 }]);
    });

    test("describes exactly the values that it has", () => {
      const read = (path: string): string => readFileSync(join(ROOT, "deploy/helm/quintet", path), "utf8");
      const values = JSON.parse(checked("yaml", read("values.yaml")));
      const { properties, definitions } = JSON.parse(read("values.schema.json"));
      // Of maps whose keys are the operator's, the schema describes only some.
      const open = ["settings", "resources.requests", "resources.limits"];
      // biome-ignore lint/suspicious/noExplicitAny: values and schemas of any form.
      const paths = (value: any, of: any, path = ""): string[] =>
        Object.entries(of).flatMap(([name, schema]) => {
          const own = path === "" ? name : `${path}.${name}`;
          // biome-ignore lint/suspicious/noExplicitAny: as above.
          const { $ref, properties: inner } = schema as any;
          const more = inner ?? ($ref && definitions[$ref.split("/").at(-1)].properties);
          return [
            ...(name in value ? [] : [`${own} is not in values.yaml`]),
            ...(more === undefined || open.includes(own) ? [] : paths(value[name], more, own)),
          ];
        });
      const { global, ...described } = properties;
      expect([global.type, paths(values, described)]).toEqual(["object", []]);
      // Each is read by a template.
      const templates = globSync("templates/*", { cwd: join(ROOT, "deploy/helm/quintet") })
        .map(read)
        .join("");
      expect(Object.keys(described).filter((name) => !templates.includes(`.Values.${name}`))).toEqual([]);
    });

    test.each([
      ["a value that does not exist", "--set=imagee.tag=1", "additional properties 'imagee' not allowed"],
      ["an invalid digest", "--set=image.digest=latest", "'latest' does not match pattern"],
      ["a setting that the chart itself makes", "--set-string=settings.QUINTET_PORT=80", "invalid propertyName 'QUINTET_PORT'"],
      ["a setting that is a number", "--set=settings.QUINTET_WORKERS=4", "got number, want string"],
      ["an ingress without a host", "--set=ingress.enabled=true", "minLength: got 0, want 1"],
      ["an invalid port", "--set=networkPolicy.databasePorts={0}", "minimum: got 0, want 1"],
    ])("refuses %s", (_, argument, message) => {
      expect(() => templated(argument)).toThrow(message);
    });

    test("has the product's version, passes the linter, and is packaged as it is pushed", () => {
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
      expect(helm("lint", "--strict")).toContain("1 chart(s) linted, 0 chart(s) failed");
      expect(helm("package", `--destination=${folder}`)).toContain(`quintet-${version}.tgz`);
    });
  });
});
