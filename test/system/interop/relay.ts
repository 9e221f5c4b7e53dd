// A relay between a client and the server that counts the calls that a client makes, with its retries, and those that it cancels. It parses
// HTTP/1.1 and cleartext HTTP/2 as far as needed for that.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A running relay. */
export interface Relay {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** How many calls have started since the last `reset`. */
  readonly started: number;
  /** How many of them have got a response, at least its headers. */
  readonly responded: number;
  /** How many of them the client has left: it reset the stream, or closed the connection, before the response ended. */
  readonly left: number;
  /** Forgets the counts. */
  reset(): void;
  close(): Promise<void>;
}

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const FRAME_HEAD_BYTES = 9;
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const END_STREAM = 1;
/** The head of a call over HTTP/1.1. Pages also fetch the service config, and send preflight requests. */
const CALL = /^(?:POST|GET) \/(?!grpc-service-config)/;
const END_OF_CHUNKED = Buffer.from("0\r\n\r\n");

/** Starts one in front of a port of the loopback. */
export async function startRelay(port: number): Promise<Relay> {
  const counts = { started: 0, responded: 0, left: 0 };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: "127.0.0.1", port, noDelay: true });
    const watch = watchConnection(counts);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.end();
      });
    }
    client.on("data", watch.sent);
    upstream.on("data", watch.received);
    client.once("end", watch.ended);
    client.once("error", watch.ended);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get started() {
      return counts.started;
    },
    get responded() {
      return counts.responded;
    },
    get left() {
      return counts.left;
    },
    reset() {
      Object.assign(counts, { started: 0, responded: 0, left: 0 });
    },
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
}

interface ConnectionWatch {
  readonly sent: (bytes: Buffer) => void;
  readonly received: (bytes: Buffer) => void;
  /** The client has ended the connection. */
  readonly ended: () => void;
}

function watchConnection(counts: { started: number; responded: number; left: number }): ConnectionWatch {
  let isHttp2: boolean | undefined;
  // HTTP/1.1 has one call at a time.
  let underWay = false;
  // For HTTP/2, by stream: calls that have started, those whose response has, and those that have not ended.
  const started = new Set<number>();
  const responded = new Set<number>();
  const open = new Set<number>();
  const leave = (stream: number): void => {
    counts.left += open.delete(stream) ? 1 : 0;
  };
  const fromClient = frames(({ type, stream }) => {
    if (type === HEADERS && !started.has(stream)) {
      started.add(stream);
      open.add(stream);
      counts.started += 1;
    }
    if (type === RST_STREAM) {
      leave(stream);
    }
  });
  const fromServer = frames(({ type, flags, stream }) => {
    if (type === HEADERS && !responded.has(stream)) {
      responded.add(stream);
      counts.responded += 1;
    }
    const isLast = (type === HEADERS || type === DATA) && (flags & END_STREAM) !== 0;
    if (isLast || type === RST_STREAM) {
      open.delete(stream);
    }
  });
  return {
    sent(bytes) {
      if (isHttp2 === undefined) {
        isHttp2 = bytes.subarray(0, 3).equals(PREFACE.subarray(0, 3));
        fromClient(isHttp2 ? bytes.subarray(PREFACE.length) : Buffer.alloc(0));
      } else if (isHttp2) {
        fromClient(bytes);
      }
      if (!isHttp2 && CALL.test(bytes.toString("latin1", 0, 40))) {
        counts.started += 1;
        underWay = true;
      }
    },
    received(bytes) {
      if (isHttp2) {
        fromServer(bytes);
      } else if (underWay) {
        counts.responded += bytes.toString("latin1", 0, 5) === "HTTP/" ? 1 : 0;
        const isChunked = /^transfer-encoding: chunked/im.test(bytes.toString("latin1"));
        underWay = isChunked || !bytes.toString("latin1", 0, 5).startsWith("HTTP/");
        underWay &&= !bytes.subarray(-END_OF_CHUNKED.length).equals(END_OF_CHUNKED);
      }
    },
    ended() {
      counts.left += underWay ? 1 : 0;
      underWay = false;
      for (const stream of open) {
        leave(stream);
      }
    },
  };
}

interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

// Parses one direction of HTTP/2, and calls back with the head of each frame.
function frames(onFrame: (head: FrameHead) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= FRAME_HEAD_BYTES && rest.length >= FRAME_HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const payloadBytes = rest.readUIntBE(0, 3);
      onFrame({ type: rest.readUInt8(3), flags: rest.readUInt8(4), stream: rest.readUInt32BE(5) & 0x7fff_ffff });
      rest = rest.subarray(FRAME_HEAD_BYTES + payloadBytes);
    }
  };
}
