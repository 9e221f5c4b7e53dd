import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { AdminListenError } from "../../../src/operations/admin/admin-listen-error.ts";
import { createAdminServer } from "../../../src/operations/admin/admin-server.ts";
import { createLog } from "../../../src/runtime/log.ts";

async function start(port = 0, metrics = () => "up 1\n") {
  const server = createAdminServer({ metrics, log: createLog("silent") });
  onTestFinished(() => server.close());
  const address = await server.listen({ host: "127.0.0.1", port });
  return { ...address, origin: `http://127.0.0.1:${address.port}` };
}

test.each([
  ["GET", "/metrics", 200, "up 1\n"],
  ["GET", "/metrics?name=up", 200, "up 1\n"],
  ["HEAD", "/metrics", 200, ""],
  ["POST", "/metrics", 405, "This path accepts GET and HEAD.\n"],
  ["GET", "/", 404, "There is nothing at this path. /metrics has the metrics.\n"],
])("the response to %s %s is %i", async (method, path, status, body) => {
  const { origin } = await start();
  const response = await fetch(origin + path, { method });
  expect({ status: response.status, body: await response.text() }).toEqual({ status, body });
});

test("idle connections do not keep scrapers out", async () => {
  const { origin, port } = await start();
  for (let count = 0; count < 40; count += 1) {
    const idle = connect(port, "127.0.0.1");
    onTestFinished(() => void idle.destroy());
    idle.on("error", () => {});
    await once(idle, "connect");
  }
  const response = await fetch(`${origin}/metrics`);
  expect(await response.text()).toBe("up 1\n");
});

test("the error for a port that is taken names the variables that change it", async () => {
  const { port } = await start();
  const message = `Cannot listen on 127.0.0.1, port ${port}, for metrics: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Set QUINTET_ADMIN_HOST or QUINTET_ADMIN_PORT.`;
  await expect(start(port)).rejects.toThrow(new AdminListenError(message));
});

test("of a thousand requests that one connection sends at once, one is served", async () => {
  let written = 0;
  const { port } = await start(0, () => {
    written += 1;
    return "up 1\n";
  });
  const socket = connect(port, "127.0.0.1");
  // The server does not read the rest, so the connection may be reset.
  socket.on("error", () => {});
  socket.write("GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1000));
  await once(socket.resume(), "close");
  expect(written).toBe(1);
});

test("requests that arrive together are all served, and later ones get a new text", async () => {
  let written = 0;
  const { origin, port } = await start(0, () => `count ${++written}\n`);
  const sockets = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
  const texts = sockets.map(async (socket) => {
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    socket.end("GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    return Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
  });
  expect((await Promise.all(texts)).every((text) => /^count \d+$/m.test(text))).toBe(true);
  const before = written;
  expect(await (await fetch(`${origin}/metrics`)).text()).toBe(`count ${before + 1}\n`);
});
