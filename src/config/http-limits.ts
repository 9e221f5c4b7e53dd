// The limits of the transport: http/limits.ts says what each means in the code. One depends on what is in front of a server, and can be
// set.
import type { Environment } from "./environment.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The limits when nothing is set. */
export const DEFAULT_HTTP_LIMITS = {
  /** The largest request body. No message of a request is half as large. */
  bodyBytesMax: 64 * KIB,
  /** Of all bodies that a process reads at the same time, divided among its threads. Callers without a key get an extra sixteenth. */
  bodiesBytesMax: 64 * MIB,
  /** In each thread, of heads, frames and bodies that cannot be handled yet. One address may use an eighth. */
  heldInputBytesMax: 64 * MIB,
  /** The largest message after decompression. Methods whose messages are all smaller have a lower limit. */
  decompressedBytesMax: 64 * KIB,
  /** Of a path with its query, as in nginx and Apache. */
  urlBytesMax: 8 * KIB,
  /** Of the names and values of a request's headers, as in Node. */
  headerBytesMax: 16 * KIB,
  headersMax: 100,
  /** For a connection's first byte, and its TLS handshake. */
  firstByteTimeoutMs: 10_000,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 20_000,
  /** Longer than the 60 seconds for which most load balancers keep a connection, so that they close it first. */
  idleTimeoutMs: 75_000,
  /** In which a caller must read 64 KiB of its response. */
  stallTimeoutMs: 120_000,
  /** In each thread. A further connection replaces the oldest that has made no request yet, or else an idle one. */
  connectionsMax: 10_000,
  /** In each thread, from one address or IPv6 /64. A further connection replaces one of the address's idle ones. 0 is no limit. */
  connectionsPerAddressMax: 500,
  /** Of responses that wait to be read on one connection. Above half of it, further calls wait for room. */
  unsentBytesPerConnectionMax: 16 * MIB,
  /** The same in each thread. Above it, connections from the address with the most such bytes are closed, the longest stalled first. */
  unsentBytesMax: 64 * MIB,
  /** On one connection, as grpc-go and nghttp2 allow. */
  concurrentRequestsMax: 100,
  /** On one HTTP/1.1 connection before it is closed. */
  requestsPerConnectionMax: 100_000,
  /** HTTP/2 streams that a peer may reset at once, and then per second: many more than clients that cancel calls need. */
  streamResetBurst: 1000,
  streamResetsPerSecond: 33,
} as const;

export type HttpLimits = Readonly<Record<keyof typeof DEFAULT_HTTP_LIMITS, number>>;

/** Reads QUINTET_CONNECTIONS_PER_ADDRESS_MAX. */
export const readHttpLimits = (environment: Environment): HttpLimits => ({
  ...DEFAULT_HTTP_LIMITS,
  connectionsPerAddressMax: environment.integer(
    "QUINTET_CONNECTIONS_PER_ADDRESS_MAX",
    DEFAULT_HTTP_LIMITS.connectionsPerAddressMax,
    { min: 0, max: 1_000_000 },
    "The most open connections from one address (for IPv6, from one /64 network) in each thread. A further connection replaces one of the address's idle ones. 0 means no limit. Set 0 behind a proxy, because all callers share its address.",
  ),
});
