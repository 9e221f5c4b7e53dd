// A listener in a separate process for a soak test: it prints its port to standard output. An uncaught error ends it.
import { pino } from "pino";
import { DEFAULT_HTTP_LIMITS } from "../../../src/config/http-limits.ts";
import { createListener } from "../../../src/http/listener.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { systemRandomness as randomness } from "../../../src/runtime/randomness.ts";

const listener = createListener({
  limits: { ...DEFAULT_HTTP_LIMITS, connectionsPerAddressMax: 0 },
  clock,
  randomness,
  log: pino({ level: "silent" }),
  handle: (exchange) => {
    Promise.resolve(exchange.readBody(1_000_000, true)).then(
      (body) => exchange.respond(200, {}, `${exchange.method} ${body.length}`),
      () => exchange.respond(422, {}, "no body"),
    );
  },
  handleFault: (exchange) => exchange.respond(400, {}, ""),
});
const { port } = await listener.listen("127.0.0.1", 0);
process.stdout.write(`${JSON.stringify({ port })}\n`);
