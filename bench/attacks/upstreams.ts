// A thread with the sources that the attacks need. Reports their origins: one that an attacker has taken over, and one that is 300 ms away.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import { startHostileServer } from "../../test/services/hostile/hostile-server.ts";

/** The origins of the sources. */
export interface Origins {
  readonly hostile: string;
  readonly slow: string;
}

const AWAY_MS = 300;
const PRICE = { price: 1, symbol: "S", timestamp: Math.floor(Date.now() / 1000), confidence: 0.99 };

// Knows every requested token, and no chart.
const slow = createServer((request, response) => {
  const ids = decodeURIComponent(/\/prices\/current\/([^?]*)/.exec(request.url ?? "")?.[1] ?? "").split(",");
  const coins = Object.fromEntries(ids.filter((id) => id !== "").map((id) => [id, PRICE]));
  setTimeout(() => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ coins }));
  }, AWAY_MS);
});
slow.listen(0, "127.0.0.1", async () => {
  const origins: Origins = {
    hostile: await startHostileServer(),
    slow: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`,
  };
  parentPort?.postMessage(origins);
});
