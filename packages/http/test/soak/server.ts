// A listener in a separate process for a soak test: it prints its port to standard output. An uncaught error ends it.
import { createServer } from "../../src/server.ts";

const listener = createServer({
  limits: { connectionsPerAddressMax: 0 },
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
