// curl, which makes many calls per run over a connection that it keeps open, and is then run again.
import { execFile } from "node:child_process";
import { AT_ONCE, type Caller, Outcomes, PAUSE_MS } from "../caller.ts";

const CALLS = 200;
const MEANINGS: Readonly<Record<string, "answered" | "limited">> = { "0 200": "answered", "0 429": "limited" };

// Each call's exit code and HTTP status.
const runOnce = (args: readonly string[]): Promise<readonly string[]> =>
  new Promise((resolve) => {
    execFile("curl", [...args], { maxBuffer: 16 * 1024 * 1024 }, (_error, out) => resolve(out.trimEnd().split("\n")));
  });

/** REST by GET over HTTP/1.1. Not over HTTP/2, because Debian's curl cannot reuse a connection without TLS. */
export const curl: Caller = {
  name: "curl",
  start({ hosts, http1Port: port, key }) {
    let isOver = false;
    const outcomes = new Outcomes();
    const calling = Array.from({ length: AT_ONCE }, async (_, place) => {
      for (let turn = place; !isOver; turn += 1) {
        const order = hosts.map((_host, index) => hosts[(index + turn) % hosts.length]).join(",");
        const args = [
          "--silent",
          "--http1.1",
          "--max-time",
          "30",
          "--rate",
          `${1000 / PAUSE_MS}/s`,
          "--resolve",
          `quintet.test:${port}:${order}`,
        ];
        const what = ["--header", `x-gateway-key: ${key}`, "--output", "/dev/null", "--write-out", "%{exitcode} %{http_code}\\n"];
        const url = `http://quintet.test:${port}/farkle/v1/score?dice=1,1,5#[1-${CALLS}]`;
        for (const outcome of await runOnce([...args, ...what, url])) {
          outcomes.add(MEANINGS[outcome] ?? { lost: `exit code and status ${outcome}` });
        }
      }
    });
    return {
      async stop() {
        isOver = true;
        await Promise.all(calling);
        return outcomes;
      },
    };
  },
};
