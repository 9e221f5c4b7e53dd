// The worker threads of a process. All listen on one port, and the kernel spreads the connections over them. On a platform where threads
// cannot share a port, one of them serves.

import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import type { ThreadCounts } from "../operations/metrics/process-metrics.ts";
import type { Address, MessageToWorker } from "./messages.ts";
import { ListenError } from "./worker-handle.ts";
import { WorkerSupervisor, type WorkerSupervisorOptions } from "./worker-supervisor.ts";

// Worker threads share their port. They would also share it with another server of the same user, which would then get some of the calls.
// So before they listen, the main thread checks that the port is not in use. It does so by connecting: if it listened for a moment, callers
// who connect at that moment would be cut off, as they often do when a server restarts.
const CONNECT_MS_MAX = 1000;

/** Rejects with an EADDRINUSE, like the system's, if another process listens on the port. Port 0 is always free. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) {
    return;
  }
  const accepted = await Promise.all(addressesOf(host).map((address) => acceptsConnection(address, port)));
  if (accepted.includes(true)) {
    throw Object.assign(new Error(`listen EADDRINUSE: address already in use ${host.includes(":") ? `[${host}]` : host}:${port}`), {
      code: "EADDRINUSE",
    });
  }
}

// The host itself, or all of this machine's addresses if the host stands for all of them.
function addressesOf(host: string): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  switch (host) {
    case "0.0.0.0":
      return all.flatMap(({ family, address }) => (family === "IPv4" ? address : []));
    case "::":
      return all.flatMap(({ address, scopeid }) => (scopeid ? [] : address));
    default:
      return [host];
  }
}

function acceptsConnection(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS_MAX });
    const end = (isAccepted: boolean): void => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.once("connect", () => end(true));
    // A listener whose queue is full does not respond. If this process itself was stalled, the response has arrived and is read after its
    // timers.
    socket.once("timeout", () => setImmediate(end, true));
    socket.once("error", () => end(false));
  });
}

// How long a thread may take to stop after its calls in progress have ended.
const STOP_GRACE_MS = 5000;
// How long a thread may take to close its port. A thread that takes longer is stuck, and the other threads do not wait for it.
const CLOSE_PORT_MS = 1000;

interface WorkerPoolOptions extends Omit<WorkerSupervisorOptions, "thread"> {
  readonly threads: number;
  /** How long a thread gives callers to choose another server before it closes its port. */
  readonly drainDelayMs: number;
  /** How long a thread may take after that until its calls in progress have ended. */
  readonly drainMs: number;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  #supervisors: readonly WorkerSupervisor[] = [];

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts all threads. Rejects if one of them cannot start; even then, call `stop`. */
  async start(): Promise<void> {
    // One after another: if the system has no thread for the next one, the threads that were started are known and can be stopped.
    for (let thread = 0; thread < this.#options.threads; thread++) {
      this.#supervisors = [...this.#supervisors, new WorkerSupervisor({ ...this.#options, thread })];
    }
    await Promise.all(this.#supervisors.map((supervisor) => supervisor.ready()));
  }

  /** Makes all threads listen on one port, and returns the address. Rejects if the address is taken. */
  async listen(host: string, port: number): Promise<Address> {
    await requireFreePort(host, port);
    const [first, ...others] = this.#supervisors as [WorkerSupervisor, ...WorkerSupervisor[]];
    try {
      const address = await first.listen({ host, port }, true);
      await Promise.all(others.map((other) => other.listen({ host, port: address.port }, true)));
      return address;
    } catch (error) {
      if (!(error instanceof ListenError && error.code === "ENOTSUP")) {
        throw error;
      }
      this.#options.log.warn("threads cannot share a port on this platform, so only one serves");
      this.#supervisors = [first];
      await Promise.all(others.map((other) => other.stop(STOP_GRACE_MS)));
      return await first.listen({ host, port }, false);
    }
  }

  /** How many threads there are. */
  counts(): ThreadCounts {
    const running = this.#supervisors.filter(({ isRunning }) => isRunning).length;
    const replaced = this.#supervisors.reduce((count, supervisor) => count + supervisor.replaced, 0);
    return { configured: this.#options.threads, running, replaced };
  }

  broadcast(message: MessageToWorker): void {
    for (const supervisor of this.#supervisors) {
      supervisor.send(message);
    }
  }

  /** Lets calls in progress finish, then ends all threads. Never rejects. */
  async stop(): Promise<void> {
    await this.#closePorts();
    const graceMs = this.#options.drainMs + STOP_GRACE_MS;
    await Promise.all(this.#supervisors.map((supervisor) => supervisor.stop(graceMs)));
  }

  // A caller that one thread tells to reconnect would reach another thread, which resets the connection when it closes its port a moment
  // later. So no caller is notified before all ports are closed.
  async #closePorts(): Promise<void> {
    const { clock, drainDelayMs, log } = this.#options;
    const timeUp = Promise.withResolvers<void>();
    const cancelTimer = clock.after(drainDelayMs + CLOSE_PORT_MS, () => {
      log.warn("a worker thread has not closed its port in time");
      timeUp.resolve();
    });
    await Promise.race([Promise.all(this.#supervisors.map((supervisor) => supervisor.closePort())), timeUp.promise]);
    cancelTimer();
  }
}
