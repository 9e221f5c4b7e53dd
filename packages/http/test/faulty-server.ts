// A listener in its own process whose handler fails in typical ways; uncaught errors are handled as in the product.
import { pino } from "pino";
import { containUncaught } from "../src/connection-scope.ts";
import type { Exchange } from "../src/exchange.ts";
import { createServer } from "../src/server.ts";

const log = pino({ base: null }, pino.destination({ fd: 2, sync: true }));

process.on("uncaughtException", (error) => {
  if (!containUncaught(error, log)) {
    process.exit(1);
  }
});

const fail = (): never => {
  throw new Error("It is broken.");
};

const FAILURES: Readonly<Record<string, (exchange: Exchange) => void>> = {
  "/at-once": fail,
  "/later": () => setTimeout(fail, 1),
  "/rejected": async () => {
    await Promise.resolve();
    fail();
  },
  "/while-reading": async (exchange) => {
    for await (const _ of exchange.bodyChunks()) {
      fail();
    }
  },
};

const listener = createServer({
  log,
  handle: (exchange) => (FAILURES[exchange.path] ?? ((good) => good.respond(200, {}, "fine")))(exchange),
  handleFault: (exchange, { message }) => exchange.respond(400, {}, message),
});
const { port } = await listener.listen("127.0.0.1", 0);
process.stdout.write(`${port}\n`);
