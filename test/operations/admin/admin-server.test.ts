import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { AdminListenError } from "../../../src/operations/admin/admin-listen-error.ts";
import { createAdminServer } from "../../../src/operations/admin/admin-server.ts";
import { createLog } from "../../../src/runtime/log.ts";

async function start(port = 0) {
  const server = createAdminServer({ metrics: () => "up 1\n", log: createLog("silent") });
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
