// The harness's own proxy: every order to cut a lease gets its result, whatever other orders arrive in the meantime.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";

const LEASE = 'insert into "month_leases" values (1)';
const LONG_MS = 20_000;

async function startEcho(): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

async function startProxy(): Promise<CuttingProxy> {
  const echo = await startEcho();
  const proxy = await startCuttingProxy((echo.address() as AddressInfo).port);
  onTestFinished(() => proxy.close());
  return proxy;
}

// Resolves with what was received before the connection ended.
async function lease(proxy: CuttingProxy): Promise<string> {
  const socket = connect(proxy.port, "127.0.0.1").on("error", () => {});
  let heard = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    heard += text;
    socket.end();
  });
  socket.write(LEASE);
  await once(socket, "close");
  return heard;
}

test("two calls of cutLease at the same time without a lease both resolve to false", async () => {
  const proxy = await startProxy();
  expect(await Promise.all([proxy.cutLease("before the commit", 1), proxy.cutLease("after the commit", 1)])).toEqual([
    false,
    false,
  ]);
});

test("two calls of cutLease at the same time cut one lease each, and the third lease passes", async () => {
  const proxy = await startProxy();
  const cut = Promise.all([proxy.cutLease("before the commit", LONG_MS), proxy.cutLease("after the commit", LONG_MS)]);
  expect([await lease(proxy), await lease(proxy), await lease(proxy)]).toEqual(["", "", LEASE]);
  expect(await cut).toEqual([true, true]);
});
