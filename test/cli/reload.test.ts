// What a server logs when it receives SIGHUP.
import { expect, test } from "vitest";
import { serveUntilStopped } from "../../src/cli/serve-command.ts";
import type { ServerEdge } from "../../src/cli/server-edge.ts";
import type { Log } from "../../src/runtime/log.ts";

test.each([
  [{ tlsFiles: true, accessLog: true }, "reloaded the TLS files and reopened the access log"],
  [{ tlsFiles: true, accessLog: false }, "reloaded the TLS files"],
  [{ tlsFiles: false, accessLog: true }, "reopened the access log"],
  [{ tlsFiles: false, accessLog: false }, "SIGHUP had nothing to do: there are no TLS files and no access log"],
])("a reload of %j is logged", async (reloaded, text) => {
  const logged: unknown[] = [];
  const log = { info: (message: unknown) => logged.push(message) } as unknown as Log;
  let reload = (): void => {};
  const edge = {
    onReload(callback: () => void) {
      reload = callback;
    },
    untilStopped: () => Promise.resolve(),
  } as Partial<ServerEdge> as ServerEdge;
  await serveUntilStopped(edge, { reload: () => reloaded, close: () => Promise.resolve() }, log, () => reload());
  expect(logged).toEqual([text]);
});
