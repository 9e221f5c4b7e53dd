// A Deployment of Kubernetes as its parts would run it: the pods' image on a host each, started and probed as a kubelet does, replaced as the
// Deployment's strategy says, and published to a load balancer and in DNS while they are ready. What it does is in the rendered manifest.
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { type Ended, type Running, startCommand, type Variables } from "../../fixtures/program.ts";
import type { ImageRoot } from "../deploy/image/image-root.ts";
import { type Host, type Network, statusOf } from "./network.ts";

/** A probe over HTTP. */
interface Probe {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

interface Container {
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

/** The fields of a Deployment that are played here. */
export interface DeploymentManifest {
  readonly spec: {
    readonly minReadySeconds: number;
    readonly strategy: { readonly rollingUpdate: { readonly maxSurge: number; readonly maxUnavailable: number } };
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly initContainers: readonly Container[];
        readonly containers: readonly Container[];
      };
    };
  };
}

/** The options of a Deployment. */
export interface DeploymentOptions {
  readonly manifest: DeploymentManifest;
  readonly replicas: number;
  readonly image: ImageRoot;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly environment: Variables;
  readonly network: Network;
  /** A folder for the pods' volumes. */
  readonly folder: string;
  /** Called with the addresses of the pods that get calls, when those have changed. */
  readonly onEndpoints: (addresses: readonly string[]) => Promise<void>;
}

/** A pod that has not been removed. */
export interface Pod {
  readonly host: Host;
  readonly volume: string;
  readonly server: Running;
}

interface PodState extends Pod {
  isReady: boolean;
  isLeaving: boolean;
}

/** The pods of a Deployment. */
export class Deployment {
  readonly #options: DeploymentOptions;
  readonly #server: Container;
  readonly port: number;
  readonly #pods = new Set<PodState>();
  /** What would make an operator look: a probe that failed, a pod that was killed. */
  readonly faults: string[] = [];
  #created = 0;

  constructor(options: DeploymentOptions) {
    this.#options = options;
    const [server] = options.manifest.spec.template.spec.containers;
    if (server === undefined) {
      throw new Error("the Deployment has no container");
    }
    this.#server = server;
    this.port = server.ports?.find(({ name }) => name === "quintet")?.containerPort ?? 0;
  }

  /** The pods that get calls. */
  get ready(): readonly Pod[] {
    return [...this.#pods].filter(({ isReady, isLeaving }) => isReady && !isLeaving);
  }

  /** Creates the first pods, all at once. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.replicas }, async () => this.#becomesReady(await this.#create())));
  }

  /** Replaces every pod, as after a change of the pod's template. */
  async rollOut(): Promise<void> {
    const { maxSurge, maxUnavailable } = this.#options.manifest.spec.strategy.rollingUpdate;
    if (maxSurge !== 1 || maxUnavailable !== 0) {
      throw new Error("only a surge of one pod, without any unavailable, is played here");
    }
    const leaving: Promise<void>[] = [];
    for (const old of [...this.#pods]) {
      await this.#becomesReady(await this.#create());
      await passed(1000 * this.#options.manifest.spec.minReadySeconds);
      leaving.push(this.#delete(old));
    }
    await Promise.all(leaving);
  }

  /** Deletes all pods, and waits until they have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#pods].map((pod) => this.#delete(pod)));
  }

  /** Runs a program in a pod, as `kubectl exec` does. */
  exec({ host, volume }: Pod, program: readonly string[]): Running {
    return startCommand(host.command(this.#options.image.command(program, volume)), this.#options.environment);
  }

  /** Runs a command in a pod of its own, as `kubectl run` does. */
  async run(line: string): Promise<Ended> {
    const { host, start } = this.#newPod();
    const result = await start(line.split(" ")).ended;
    host.remove();
    return result;
  }

  #newPod() {
    const { image, network, folder, entrypoint, environment } = this.#options;
    this.#created += 1;
    const name = `pod-${this.#created}`;
    const host = network.add(name);
    const volume = join(folder, name);
    image.makeVolume(volume);
    const start = (args: readonly string[]): Running =>
      startCommand(host.command(image.command([...entrypoint, ...args], volume)), environment);
    return { name, host, volume, start };
  }

  async #create(): Promise<PodState> {
    const { manifest, cmd } = this.#options;
    const { name, host, volume, start } = this.#newPod();
    for (const { args = [] } of manifest.spec.template.spec.initContainers) {
      const { code, out, err } = await start(args).ended;
      if (code !== 0) {
        throw new Error(`${name}: ${args.join(" ")} ended with ${code}: ${out}${err}`);
      }
    }
    const pod: PodState = { host, volume, server: start(this.#server.args ?? cmd), isReady: false, isLeaving: false };
    this.#pods.add(pod);
    return pod;
  }

  // Resolves when it is ready for the first time. From then on its probes run until it ends.
  async #becomesReady(pod: PodState): Promise<void> {
    if (!(await this.#passes(pod, this.#server.startupProbe))) {
      throw new Error(`${pod.host.address} has not started: ${pod.server.printed.out}${pod.server.printed.err}`);
    }
    this.#keepProbing(pod, this.#server.livenessProbe, () => {
      this.faults.push(`${pod.host.address} does not live`);
    });
    await new Promise<void>((resolve) => {
      this.#keepProbing(pod, this.#server.readinessProbe, (isReady) => {
        if (pod.isReady !== isReady && !pod.isLeaving) {
          pod.isReady = isReady;
          void this.#options.onEndpoints(this.ready.map(({ host }) => host.address));
          if (!isReady) {
            this.faults.push(`${pod.host.address} is no longer ready`);
          }
          resolve();
        }
      });
    });
  }

  async #probe({ host }: Pod, { httpGet, timeoutSeconds }: Probe): Promise<boolean> {
    const status = await statusOf({ host: host.address, port: this.port, path: httpGet.path }, 1000 * timeoutSeconds);
    return status === 200;
  }

  async #passes(pod: Pod, probe: Probe): Promise<boolean> {
    for (let failures = 0; failures < probe.failureThreshold; failures++) {
      if (await this.#probe(pod, probe)) {
        return true;
      }
      await passed(1000 * probe.periodSeconds);
    }
    return false;
  }

  // Tells the first success, and each change that lasts for the threshold. A readiness probe tells both, a liveness probe only failure.
  #keepProbing(pod: PodState, probe: Probe, changed: (isWell: boolean) => void): void {
    let failures = 0;
    let isOver = false;
    void pod.server.ended.then(() => {
      isOver = true;
    });
    const once = async (): Promise<void> => {
      while (!(isOver || pod.isLeaving)) {
        const isWell = await this.#probe(pod, probe);
        failures = isWell ? 0 : failures + 1;
        if (
          probe === this.#server.readinessProbe ? isWell || failures >= probe.failureThreshold : failures === probe.failureThreshold
        ) {
          changed(isWell);
        }
        await passed(1000 * probe.periodSeconds);
      }
    };
    void once();
  }

  async #delete(pod: PodState): Promise<void> {
    const { terminationGracePeriodSeconds } = this.#options.manifest.spec.template.spec;
    pod.isLeaving = true;
    // The balancer learns of it only while the pod already stops.
    const published = this.#options.onEndpoints(this.ready.map(({ host }) => host.address));
    pod.server.signal("SIGTERM");
    const over = new AbortController();
    void passed(1000 * terminationGracePeriodSeconds, undefined, { signal: over.signal }).then(
      () => {
        this.faults.push(`${pod.host.address} took longer than ${terminationGracePeriodSeconds} s to stop`);
        pod.server.signal("SIGKILL");
      },
      () => {},
    );
    const { code, out, err } = await pod.server.ended;
    over.abort();
    await published;
    const complaints = `${out}${err}`.split("\n").filter((line) => /"level":[56]0/.test(line));
    if (code !== 0 || complaints.length > 0) {
      this.faults.push(`${pod.host.address} ended with ${code}: ${complaints.join("\n")}`);
    }
    this.#pods.delete(pod);
    pod.host.remove();
  }
}
