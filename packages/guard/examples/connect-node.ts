// A user's whole server on connect-node: RPC, REST and OpenAPI, behind a guard.
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Guard, guardInterceptor, guardNode, KeyFormat, SqliteStore } from "@quintet/guard";
import { openApiOf, restNodeAdapter } from "@quintet/transcoding";
import { ElizaService } from "../../../test/gen/eliza/v1/eliza_pb.js";

const store = new SqliteStore(new DatabaseSync("guard.db"));
const guard = new Guard({ store, keys: new KeyFormat("ek_"), onError: console.error });
const guarded = { guard, serviceOf: ({ path }: { path: string }) => (path === "/openapi.json" ? undefined : "eliza") };
const options = {
  interceptors: [guardInterceptor(guarded)],
  routes(router: ConnectRouter) {
    router.service(ElizaService, {
      say: ({ sentence }) => ({ sentence: `You said: ${sentence}` }),
      async *introduce({ name }) {
        yield { sentence: `Hello, ${name}. You are ${guard.caller?.accountId}.` };
      },
    });
  },
};
const document = JSON.stringify(openApiOf(ElizaService.methods, { title: "Eliza", version: "1" }));
const rest = restNodeAdapter(options);
const handle = connectNodeAdapter({
  ...options,
  fallback: (request, response) => void (request.url === "/openapi.json" ? response.end(document) : rest(request, response)),
});
const protect = guardNode(guarded);
const server = createServer((request, response) => protect(request, response, () => handle(request, response)));
server.listen(0, "127.0.0.1", () => console.log(server.address()));
