// How much of the heap an idle connection takes, beyond what Node's socket takes, once it has served a request.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { getFrame, listening, PREFACE } from "./listening.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const CONNECTIONS = 1000;

async function open(port: number, count: number, hello: string | Uint8Array): Promise<void> {
  for (let each = 0; each < count; each += 1) {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(hello);
    await once(socket, "data");
  }
}

function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** The bytes of the heap that both ends of a connection to this port take after a request. */
async function bytesEach(port: number, hello: string | Uint8Array): Promise<number> {
  // The first ones also compile the code.
  await open(port, CONNECTIONS / 4, hello);
  const before = heapBytes();
  await open(port, CONNECTIONS, hello);
  return (heapBytes() - before) / CONNECTIONS;
}

async function bareSocketBytes(): Promise<number> {
  const server = createServer((socket) => {
    socket.on("data", () => socket.write("HTTP/1.1 204 No Content\r\n\r\n"));
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return bytesEach((server.address() as AddressInfo).port, "hello");
}

test.each<[string, string | Uint8Array, number]>([
  ["HTTP/1.1", "GET / HTTP/1.1\r\nhost: a\r\n\r\n", 4],
  // Also has the compression tables and counts the frames.
  ["HTTP/2", Buffer.concat([PREFACE, getFrame(1)]), 5.5],
])("over %s, an idle connection takes little of the heap", async (_, hello, kibibytes) => {
  const { port } = await listening((exchange) => exchange.respond(200, { "content-type": "text/plain" }, "hello"), {
    limits: { connectionsMax: 2 * CONNECTIONS, connectionsPerAddressMax: 2 * CONNECTIONS },
  });
  const ours = (await bytesEach(port, hello)) - (await bareSocketBytes());
  expect(ours).toBeLessThan(kibibytes * 1024);
  expect(ours).toBeGreaterThan(1024);
});
