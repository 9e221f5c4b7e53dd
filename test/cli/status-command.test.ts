// `quintet status`, as an operator runs it on the server's machine.
import { expect, test } from "vitest";
import { readMetrics, statusOf } from "../../src/cli/status-command.ts";
import { run, serve } from "../fixtures/program.ts";
import { freePort } from "../fixtures/servers/server-process.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

test("a running server is shown", async () => {
  const variables = { QUINTET_DATA_DIR: temporaryDirectory(), QUINTET_WORKERS: "1", QUINTET_ADMIN_PORT: String(await freePort()) };
  const server = await serve(variables);
  await fetch(`${server.origin}/farkle/v1/score?dice=1`);
  const { code, out } = await run("status --json", variables);
  expect({ code, status: JSON.parse(out) }).toMatchObject({
    code: 0,
    status: { threads: "1 of 1, 0 replaced", calls: 1, calls_refused: 1, database: "up" },
  });
  const { out: text } = await run("status", variables);
  expect(text).toMatch(/^calls refused: +1$/m);
  server.signal("SIGTERM");
  await server.ended;
});

test.each([
  [{}, "Set QUINTET_ADMIN_PORT to the port that the server was started with; a server without it has no status to show."],
  [
    { QUINTET_ADMIN_PORT: "x" },
    'The environment has a fault:\n  QUINTET_ADMIN_PORT must be a whole number from 0 to 65535, not "x"',
  ],
])("with %o it reports what is missing", async (variables: Record<string, string>, message) => {
  expect(await run("status", variables)).toEqual({ code: 6, out: "", err: `quintet: ${message}\n` });
});

test("a server that cannot be reached is reported with its address", async () => {
  const port = await freePort();
  const message = `No server responds at http://127.0.0.1:${port}: ECONNREFUSED. Is it running, with this QUINTET_ADMIN_PORT and QUINTET_ADMIN_HOST?`;
  expect(await run("status", { QUINTET_ADMIN_PORT: String(port) })).toEqual({ code: 5, out: "", err: `quintet: ${message}\n` });
});

test("labels with quotes are read, and the slowest calls are reported by their bucket", () => {
  const text = [
    '# HELP x "y"',
    'quintet_build_info{version="1.0",node_version="q\\"uote"} 1',
    'quintet_call_duration_seconds_bucket{method="Score",le="0.1"} 98',
    'quintet_call_duration_seconds_bucket{method="Score",le="1"} 99',
    'quintet_call_duration_seconds_bucket{method="Score",le="+Inf"} 100',
  ].join("\n");
  expect(readMetrics(text)[0]).toEqual({
    name: "quintet_build_info",
    labels: { version: "1.0", node_version: 'q\\"uote' },
    value: 1,
  });
  expect(statusOf(readMetrics(text), 0).p99_milliseconds).toBe("under 1000");
});
