// One soak connection: valid, nearly valid or random bytes, in pieces of any size, over HTTP/1.1 or HTTP/2.
import { once } from "node:events";
import { connect } from "node:net";
import { FLAG, FRAME, frame, PREFACE } from "../h2/frames.ts";
import { encodeFields, requestFrame, settingsFrame, uint32 } from "../h2/peer.ts";
import type { Random } from "./random.ts";

const PIECES_MAX = 60;

/** Pieces that belong together, in their valid order. */
type Script = readonly Buffer[];

function http2Script(random: Random): Script {
  const pieces = [PREFACE, settingsFrame({ 4: random.below(100_000) })];
  for (let count = random.below(PIECES_MAX); count > 0; count -= 1) {
    pieces.push(http2Piece(random, 2 * random.below(40) + 1));
  }
  return pieces;
}

function http2Piece(random: Random, stream: number): Buffer {
  const payload = random.bytes(random.below(40));
  return (
    [
      requestFrame(stream),
      requestFrame(stream, { method: "POST", end: false }),
      requestFrame(stream, { more: [["x-a", payload.toString("latin1")]] }),
      frame(FRAME.DATA, FLAG.END_STREAM, stream, payload),
      frame(FRAME.DATA, random.below(256), stream, payload),
      frame(FRAME.HEADERS, random.below(256), stream, Buffer.concat([encodeFields([[":method", "GET"]]), payload])),
      frame(FRAME.RST_STREAM, 0, stream, uint32(random.below(20))),
      frame(FRAME.WINDOW_UPDATE, 0, random.below(2) * stream, uint32(random.below(2 ** 31))),
      frame(FRAME.PING, 0, 0, Buffer.alloc(8)),
      settingsFrame({ [random.below(8)]: random.below(2 ** 31) }),
      frame(random.below(12), random.below(256), random.below(3) * stream, payload),
    ] as const
  )[random.below(11)] as Buffer;
}

function http1Script(random: Random): Script {
  const pieces: Buffer[] = [];
  for (let count = random.below(8); count >= 0; count -= 1) {
    const body = random.bytes(random.below(100));
    const heads = [
      "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n`,
      `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
      `POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: ${random.below(200)}\r\n\r\n`,
      `GET /${body.toString("latin1")} HTTP/1.1\r\nhost: a\r\nx-a: ${body.toString("latin1")}\r\n\r\n`,
    ];
    pieces.push(Buffer.from(heads[random.below(heads.length)] ?? "", "latin1"), body, Buffer.from("\r\n0\r\n\r\n"));
  }
  return pieces;
}

/** Changes a byte here and there, and sometimes drops or duplicates some. */
function corrupt(bytes: Buffer, random: Random): Buffer {
  const corrupted = Buffer.from(bytes);
  for (let count = random.below(4); count > 0 && corrupted.length > 0; count -= 1) {
    corrupted[random.below(corrupted.length)] = random.below(256);
  }
  const at = random.below(corrupted.length + 1);
  return random.below(4) > 0
    ? corrupted
    : Buffer.concat([corrupted.subarray(0, at), corrupted.subarray(random.below(corrupted.length + 1))]);
}

/** Sends one connection's bytes, and resolves when it is closed. Half of them end by themselves, half are cut. */
export async function soakConnection(port: number, random: Random): Promise<void> {
  const kinds = [http2Script, http1Script, () => [random.bytes(random.below(2000))]];
  const script = Buffer.concat(kinds[random.below(3)]?.(random) ?? []);
  const bytes = random.below(3) === 0 ? script : corrupt(script, random);
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => {});
  if (random.below(5) > 0) {
    socket.resume();
  }
  await Promise.race([once(socket, "connect"), closed]);
  const pieceMax = 1 + random.below(2000);
  for (let at = 0; at < bytes.length && !socket.destroyed; ) {
    const end = at + 1 + random.below(pieceMax);
    socket.write(bytes.subarray(at, end));
    at = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (random.below(2) === 0) {
    socket.end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.destroy();
  await closed;
}
