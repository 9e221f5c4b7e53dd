import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { requireFreePort } from "../../src/workers/worker-pool.ts";
import { freePort } from "../fixtures/servers/server-process.ts";

async function listening(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test.each([
  { theirs: "127.0.0.1", ours: "127.0.0.1", said: "127.0.0.1" },
  { theirs: "0.0.0.0", ours: "127.0.0.1", said: "127.0.0.1" },
  { theirs: "127.0.0.1", ours: "0.0.0.0", said: "0.0.0.0" },
  { theirs: "127.0.0.1", ours: "::", said: "[::]" },
])("a port on which another server listens at $theirs is not free at $ours", async ({ theirs, ours, said }) => {
  const port = await listening(theirs);
  await expect(requireFreePort(ours, port)).rejects.toMatchObject({
    message: `listen EADDRINUSE: address already in use ${said}:${port}`,
    code: "EADDRINUSE",
  });
});

test("port 0 is free", async () => {
  expect(await requireFreePort("127.0.0.1", 0)).toBeUndefined();
});

test("a connection during the check of a port is refused, instead of being accepted and closed", async () => {
  const port = await freePort();
  const checked = requireFreePort("127.0.0.1", port);
  const caller = connect(port, "127.0.0.1");
  const [error] = await once(caller, "error").catch((thrown) => [thrown]);
  expect([error.code, await checked]).toEqual(["ECONNREFUSED", undefined]);
});

test("a port is free even if this process was suspended for longer than a response may take", async () => {
  const checked = requireFreePort("127.0.0.1", await freePort());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, 1200);
  expect(await checked).toBeUndefined();
});
