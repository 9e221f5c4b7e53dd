// The entry point of a worker thread, as main.ts is for the process: passes it the clock, randomness, and its data.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Plans } from "../catalogue/plans.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { createLog, type Log } from "../runtime/log.ts";
import { type Randomness, systemRandomness } from "../runtime/randomness.ts";
import { MainThreadClient, type MainThreadCommand } from "./main-thread-client.ts";
import type { Address, MessageFromWorker, WorkerThreadData } from "./messages.ts";
import { createRemoteSources } from "./remote-sources.ts";
import { createWorker, type Worker } from "./worker.ts";
import { WorkerExit } from "./worker-exit.ts";

/** Runs this thread as a worker, with what the main thread has given it. */
export function beginWorkerThread(): Promise<void> {
  const data = workerData as WorkerThreadData;
  return runWorkerThread({
    port: parentPort as MessagePort,
    data,
    clock: systemClock,
    randomness: systemRandomness,
    log: createLog(data.config.logLevel),
  });
}

// A worker in its own thread, which follows the commands of the main thread.
interface WorkerThreadOptions {
  readonly port: MessagePort;
  readonly data: WorkerThreadData;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** Creates the worker, reports that it is ready, and from then on follows the main thread's commands. */
export async function runWorkerThread({ port, data, clock, randomness, log }: WorkerThreadOptions): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const mainThread = new MainThreadClient(port, (command) => ready.promise.then(() => handleCommand(command)));
  const ending = new AbortController();
  const plans = new Plans(data.plans);
  const worker = await createWorker({
    ...data,
    plans,
    writeAccessLog: data.config.accessLog && ((lines) => mainThread.send({ kind: "accessLog", lines })),
    sources: createRemoteSources({ mainThread, data, clock, log, endSignal: ending.signal }),
    clock,
    randomness,
    log,
  });
  const exit = new WorkerExit({
    thread: data.thread,
    log,
    disconnect() {
      ending.abort();
      worker.disconnect();
    },
    responded: () => worker.responded(),
  });
  ready.resolve();
  mainThread.send({ kind: "ready" });

  async function handleCommand(command: MainThreadCommand): Promise<void> {
    switch (command.kind) {
      case "listen":
        mainThread.send(await listen(worker, command.at, command.reusePort));
        break;
      case "useTls":
        worker.useTls(command.tls);
        break;
      case "usePlans":
        plans.replace(command.plans);
        break;
      case "changed":
        worker.changed(command.accountId);
        break;
      case "closePort":
        await worker.closePort();
        mainThread.send({ kind: "portClosed" });
        break;
      case "stop":
        await worker.stop();
        mainThread.send({ kind: "stopped" });
        break;
      case "end":
        exit.begin();
        break;
    }
  }
}

async function listen(worker: Worker, { host, port }: Address, reusePort: boolean): Promise<MessageFromWorker> {
  try {
    return { kind: "listening", at: await worker.listen(host, port, { reusePort }) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { kind: "notListening", message, code };
  }
}
