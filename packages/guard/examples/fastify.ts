// A user's whole server in Fastify: RPC, REST and OpenAPI, behind a guard.
import { DatabaseSync } from "node:sqlite";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Guard, guardInterceptor, guardNode, KeyFormat, SqliteStore } from "@quintet/guard";
import { openApiOf, restNodeAdapter } from "@quintet/transcoding";
import { fastify } from "fastify";
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
const document = openApiOf(ElizaService.methods, { title: "Eliza", version: "1" });
const handle = connectNodeAdapter({ ...options, fallback: restNodeAdapter(options) });
const protect = guardNode(guarded);
const server = fastify();
server.addHook("onRequest", (request, reply, done) => protect(request.raw, reply.raw, done));
server.removeAllContentTypeParsers();
server.addContentTypeParser("*", (_request, _body, done) => done(null));
server.get("/openapi.json", async () => document);
server.all("/*", (request, reply) => handle(request.raw, reply.hijack().raw));
console.log(await server.listen({ port: 0, host: "127.0.0.1" }));
