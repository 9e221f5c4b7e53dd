// Reads deployment files with the programs that they are for. Both are written in Go.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { type GoTool, installGoTool } from "../../fixtures/go-tool.ts";
import { ROOT } from "../../fixtures/root.ts";

const CHECKER = join(import.meta.dirname, "manifests");
/** Takes five minutes of one core to build, so the gate installs it while other steps run. */
export const HELM: GoTool = { module: "helm.sh/helm/v4", version: "v4.3.1", command: "cmd/helm" };
const KUSTOMIZE: GoTool = { module: "sigs.k8s.io/kustomize/kustomize/v5", version: "v5.8.1" };

/** The checker's output for a string. Throws with the fault if the checker rejects it. */
export function checked(kind: "kubernetes" | "envoy" | "compose" | "yaml", input: string): string {
  return execFileSync("go", ["run", "-mod=readonly", ".", kind], {
    cwd: CHECKER,
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** The manifests that `kubectl apply -k` would send, as YAML. Throws with kustomize's output. */
export function rendered(folder: string): string {
  return execFileSync(installGoTool(KUSTOMIZE), ["build", folder], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const KUBECONFORM: GoTool = { module: "github.com/yannh/kubeconform", version: "v0.7.0", command: "cmd/kubeconform" };

/** What kubeconform reports about manifests, by the schemas at a location: objects that do not conform, and the counts. */
export function kubeconform(
  manifests: string,
  location: string,
): { readonly resources: readonly { readonly msg: string }[]; readonly summary: object } {
  // The Prometheus operator's object has no schema of Kubernetes: `checked` reads it with the operator's own types.
  const args = ["-strict", "-summary", "-output=json", "-skip=PodMonitor", "-schema-location", location, "-"];
  return JSON.parse(spawnSync(installGoTool(KUBECONFORM), args, { input: manifests, encoding: "utf8" }).stdout);
}

const CHART = join(ROOT, "deploy/helm/quintet");

/** What helm prints for our chart, for example `helm template quintet <chart> …`. Throws with helm's output. */
export function helm(verb: "template" | "lint" | "package", ...args: readonly string[]): string {
  const release = verb === "template" ? ["quintet"] : [];
  return execFileSync(installGoTool(HELM), [verb, ...release, CHART, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}
