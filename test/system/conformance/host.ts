// Starts the servers under test, all in this process. The runner starts a command for each server and gives it ten seconds to listen. On a
// busy machine a new process does not always manage that, so the command is the small `relay.ts`, and the servers start here.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { loadConformance, type ServerRequest } from "./messages.ts";
import { startConformanceServer } from "./server.ts";

/**
 * Listens on a Unix socket. A peer sends a ServerCompatRequest and gets a ServerCompatResponse, each after its length in four bytes. The
 * server that it asks for runs until the peer ends its side of the connection. When our side ends, the server has been closed.
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
