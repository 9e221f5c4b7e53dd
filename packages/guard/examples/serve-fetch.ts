// Serves the fetch handler of fetch.ts on Node, as Bun, Deno and others do by themselves.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import handler from "./fetch.ts";

const server = createServer(async (request, response) => {
  const { method = "GET", url = "/" } = request;
  const body = method === "GET" || method === "HEAD" ? null : Readable.toWeb(request);
  const init = { method, headers: Object.entries(request.headers), body, duplex: "half" } as unknown as RequestInit;
  const answer = await handler.fetch(new Request(`http://127.0.0.1${url}`, init));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) {
    response.write(chunk);
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address()));
