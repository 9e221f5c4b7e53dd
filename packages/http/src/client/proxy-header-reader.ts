// Reads a PROXY protocol header from a socket and leaves everything after it unread, for TLS or HTTP.
import type { Socket } from "node:net";
import type { Clock } from "../clock.ts";
import { plainAddress } from "../ip-network.ts";

/** The fixed start of every header: a signature that no other protocol begins with, then version, command, family and length. */
const PROXY_HEADER_START_BYTES = 16;
/**
 * The longest header, not counting its fixed start. IP addresses take at most 36 bytes; additions such as a load balancer's own ids take
 * a few hundred.
 */
const REST_BYTES_MAX = 4096;

const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const VERSION = 2;
const LOCAL = 0;
const PROXY = 1;
const [UNSPECIFIED, IPV4, IPV6, UNIX] = [0, 1, 2, 3];
const ADDRESS_BYTES: Readonly<Record<number, number>> = { [UNSPECIFIED]: 0, [IPV4]: 12, [IPV6]: 36, [UNIX]: 216 };
const TLV_HEAD_BYTES = 3;

interface ProxyHeaderStart {
  /** True if the balancer connected on its own behalf, such as for a health check. */
  readonly isLocal: boolean;
  readonly family: number;
  /** How many bytes of the header follow. */
  readonly restBytes: number;
}

/** Reads the first 16 bytes of a header. Throws an Error that explains what is wrong. */
export function readProxyHeaderStart(bytes: Buffer): ProxyHeaderStart {
  if (bytes.length !== PROXY_HEADER_START_BYTES || bytes.compare(SIGNATURE, 0, SIGNATURE.length, 0, SIGNATURE.length) !== 0) {
    throw new Error("the connection does not begin with a header of the PROXY protocol, version 2");
  }
  const versionAndCommand = bytes.readUInt8(12);
  const command = versionAndCommand & 0xf;
  if (versionAndCommand >> 4 !== VERSION || (command !== LOCAL && command !== PROXY)) {
    throw new Error(`the PROXY protocol header has an unknown version and command (0x${versionAndCommand.toString(16)})`);
  }
  const familyAndProtocol = bytes.readUInt8(13);
  const family = familyAndProtocol >> 4;
  const restBytes = bytes.readUInt16BE(14);
  const isLocal = command === LOCAL;
  if (!isLocal && (ADDRESS_BYTES[family] === undefined || (familyAndProtocol & 0xf) > 2)) {
    throw new Error(`the PROXY protocol header has an unknown address family (0x${familyAndProtocol.toString(16)})`);
  }
  if (restBytes > REST_BYTES_MAX || (!isLocal && restBytes < (ADDRESS_BYTES[family] ?? 0))) {
    throw new Error(`the PROXY protocol header has a wrong length (${restBytes})`);
  }
  return { isLocal, family, restBytes };
}

/**
 * Reads the rest of a header. Returns the client's address; undefined if it has no IP address. TLVs must be well formed, but are otherwise
 * ignored: a certificate's common name in one is not used as an identity. Throws an Error that explains what is wrong.
 */
export function readProxySource({ isLocal, family }: ProxyHeaderStart, rest: Buffer): string | undefined {
  if (isLocal) {
    return undefined;
  }
  checkAdditions(rest.subarray(ADDRESS_BYTES[family] ?? 0));
  if (family === IPV4) {
    return [...rest.subarray(0, 4)].join(".");
  }
  return family === IPV6 ? ipv6Text(rest.subarray(0, 16)) : undefined;
}

// Each TLV has one byte of type, two of length, and then that many bytes.
function checkAdditions(bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) {
    if (at + TLV_HEAD_BYTES > bytes.length) {
      throw new Error("the PROXY protocol header ends within a TLV");
    }
    at += TLV_HEAD_BYTES + bytes.readUInt16BE(at + 1);
  }
  if (at !== bytes.length) {
    throw new Error("the PROXY protocol header ends within a TLV");
  }
}

// In Node's format: the longest run of zeros shortened, and an IPv4-mapped address as IPv4.
function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
  // The URL parser writes the canonical form: https://url.spec.whatwg.org/#concept-ipv6-serializer
  return plainAddress(new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1));
}

/**
 * Calls `found` once the header is complete, with the address that it names, or undefined if it names none. If the header is
 * faulty, the peer disconnects, or `timeoutMs` pass first, destroys the socket and calls `failed`.
 */
export function readProxyHeader(
  socket: Socket,
  clock: Clock,
  timeoutMs: number,
  found: (source: string | undefined) => void,
  failed: (error: Error) => void,
): void {
  let start: ProxyHeaderStart | undefined;
  const stop = (): void => {
    cancelTimer();
    socket.off("readable", onReadable);
    socket.off("end", onEnd);
    socket.off("close", onEnd);
  };
  const fail = (error: Error): void => {
    stop();
    socket.destroy();
    failed(error);
  };
  const onEnd = (): void => fail(new Error("the connection ended within its PROXY protocol header"));
  const onReadable = (): void => {
    try {
      if (start === undefined) {
        const bytes = read(socket, PROXY_HEADER_START_BYTES);
        start = bytes && readProxyHeaderStart(bytes);
      }
      const rest = start && read(socket, start.restBytes);
      if (start === undefined || rest === undefined) {
        return;
      }
      const source = readProxySource(start, rest);
      stop();
      found(source);
    } catch (error) {
      fail(error as Error);
    }
  };
  const cancelTimer = clock.after(timeoutMs, () => fail(new Error("the PROXY protocol header did not arrive in time")));
  socket.on("readable", onReadable);
  socket.on("end", onEnd);
  socket.on("close", onEnd);
}

// Reads exactly this many bytes; undefined while there are fewer. A stream that has ended returns what is left, even if that is
// less.
function read(socket: Socket, bytes: number): Buffer | undefined {
  if (bytes === 0) {
    return Buffer.alloc(0);
  }
  const taken: Buffer | null = socket.read(bytes);
  return taken === null || taken.length < bytes ? undefined : taken;
}
