// Starts the servers under test, all in this process. The runner wants a command for each and gives it ten seconds to listen, which a
// whole new server does not always keep on a busy machine; so the command is `relay.ts`, and what starts is already loaded here.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { loadConformance, type ServerRequest } from "./messages.ts";
import { startConformanceServer } from "./server.ts";

/**
 * Listens on a Unix socket. Whoever connects sends a ServerCompatRequest and gets a ServerCompatResponse, each with its length before it
 * in four bytes; the server that it asked for lives until it ends its side, and has been closed when ours ends.
 */
export async function hostServers(path: string): Promise<Server> {
  const conformance = loadConformance();
  const requestSchema = conformance.message("ServerCompatRequest");
  const responseSchema = conformance.message("ServerCompatResponse");

  async function serve(socket: Socket): Promise<void> {
    const gone = once(socket, "end");
    const length = await read(socket, 4);
    const wanted = fromBinary(requestSchema, await read(socket, length.readUInt32BE())) as ServerRequest;
    const server = await startConformanceServer(conformance, wanted);
    const pemCert = wanted.serverCreds?.cert ?? new Uint8Array(0);
    const response = toBinary(responseSchema, create(responseSchema, { host: server.host, port: server.port, pemCert } as never));
    const responseLength = Buffer.alloc(4);
    responseLength.writeUInt32BE(response.byteLength);
    socket.write(Buffer.concat([responseLength, response]));
    socket.resume();
    await gone;
    await server.close();
    socket.end();
  }

  const host = createServer({ allowHalfOpen: true }, serve);
  host.listen(path);
  await once(host, "listening");
  return host;
}

async function read(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const chunk: Buffer | null = socket.read(bytes);
    if (chunk !== null) {
      return chunk;
    }
    await once(socket, "readable");
  }
}
