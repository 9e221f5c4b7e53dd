// Sends batches of requests from a separate thread, so that its own cost is not counted as the server thread's.
import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { FLAG, FRAME, FrameReader } from "../../../packages/http/test/h2/frames.ts";

/** What is sent over a new connection, and how many responses are expected. */
export interface Batch {
  readonly protocol: "HTTP/1.1" | "HTTP/2";
  /** Sent first; the rest follows after its response. */
  readonly opening: Uint8Array;
  readonly bytes: Uint8Array;
  readonly requests: number;
}

const { port } = workerData as { readonly port: number };

const HEAD = Buffer.from("HTTP/1.1 ");

function countHeads(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(HEAD); at >= 0; at = bytes.indexOf(HEAD, at + 1)) {
    count += 1;
  }
  return count;
}

// Counts complete responses, however the chunks are split.
function responseCounter(protocol: Batch["protocol"]): (chunk: Buffer) => number {
  if (protocol === "HTTP/1.1") {
    let rest = Buffer.alloc(0);
    return (chunk) => {
      const bytes = Buffer.concat([rest, chunk]);
      rest = bytes.subarray(Math.max(0, bytes.length - HEAD.length + 1));
      return countHeads(bytes);
    };
  }
  const reader = new FrameReader();
  return (chunk) =>
    reader
      .take(chunk)
      .filter(({ type, flags }) => type === FRAME.RST_STREAM || (type <= FRAME.HEADERS && (flags & FLAG.END_STREAM) !== 0)).length;
}

let socket: Socket | undefined;
let count: (chunk: Buffer) => number = () => 0;
let isClosed = false;

// Waits for this many responses or the end of the connection, and returns how many have arrived.
function responses(from: Socket, wanted: number): Promise<number> {
  return new Promise((resolve) => {
    let found = 0;
    const onData = (chunk: Buffer): void => {
      found += count(chunk);
      if (found >= wanted) {
        end();
      }
    };
    const end = (): void => {
      from.off("data", onData);
      from.off("close", end);
      resolve(found);
    };
    from.on("data", onData);
    from.on("close", end);
    if (isClosed) {
      end();
    }
  });
}

parentPort?.on("message", async ({ step, batch }: { step: "open" | "send"; batch: Batch }) => {
  if (step === "open") {
    socket?.destroy();
    isClosed = false;
    const opened = connect(port, "127.0.0.1").setNoDelay(true);
    socket = opened;
    opened.on("error", () => {});
    opened.on("close", () => {
      isClosed ||= opened === socket;
    });
    count = responseCounter(batch.protocol);
  }
  const from = socket as Socket;
  const found = responses(from, step === "open" ? 1 : batch.requests);
  from.write(step === "open" ? batch.opening : batch.bytes);
  parentPort?.postMessage(await found);
});
