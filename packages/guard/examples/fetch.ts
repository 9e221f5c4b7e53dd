// A user's whole server as a fetch handler: Connect, gRPC-Web, REST and OpenAPI, behind a guard.
import { DatabaseSync } from "node:sqlite";
import { type ConnectRouter, createConnectRouter } from "@connectrpc/connect";
import { universalServerRequestFromFetch, universalServerResponseToFetch } from "@connectrpc/connect/protocol";
import { Guard, guardFetch, guardInterceptor, KeyFormat, SqliteStore } from "@quintet/guard";
import { openApiOf, restFetchHandler } from "@quintet/transcoding";
import { ElizaService } from "../../../test/gen/eliza/v1/eliza_pb.js";

const store = new SqliteStore(new DatabaseSync("guard.db"));
const guard = new Guard({ store, keys: new KeyFormat("ek_"), onError: console.error });
const guarded = { guard, serviceOf: ({ path }: { path: string }) => (path === "/openapi.json" ? undefined : "eliza") };
const options = {
  interceptors: [guardInterceptor(guarded)],
  routes(router: ConnectRouter) {
    return router.service(ElizaService, {
      say: ({ sentence }) => ({ sentence: `You said: ${sentence}` }),
      async *introduce({ name }) {
        yield { sentence: `Hello, ${name}. You are ${guard.caller?.accountId}.` };
      },
    });
  },
};
const document = openApiOf(ElizaService.methods, { title: "Eliza", version: "1" });
const rest = restFetchHandler(options);
const { handlers } = options.routes(createConnectRouter(options));
export default {
  fetch: guardFetch(guarded, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/openapi.json") {
      return Response.json(document);
    }
    const rpc = handlers.find(({ requestPath }) => requestPath === pathname);
    return rpc ? universalServerResponseToFetch(await rpc(universalServerRequestFromFetch(request, {}))) : rest(request);
  }),
};
