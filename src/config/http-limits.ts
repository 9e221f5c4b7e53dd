// The limits of the transport, each in one place: its variable, default, bounds and purpose. http/limits.ts says what each limit
// means in the code.
import { Environment, type IntegerSetting } from "./environment.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const TIMEOUT_BOUNDS = { min: 1, max: 3_600_000 };
const COUNT_BOUNDS = { min: 1, max: 1_000_000 };

const SETTINGS = {
  bodyBytesMax: {
    variable: "QUINTET_BODY_BYTES_MAX",
    fallback: 64 * KIB,
    bounds: { min: KIB, max: 64 * MIB },
    meaning: "The largest request body, in bytes.",
  },
  bodiesBytesMax: {
    variable: "QUINTET_BODIES_BYTES_MAX",
    fallback: 64 * MIB,
    bounds: { min: MIB, max: 64 * 1024 * MIB },
    meaning:
      "The total size of the request bodies that one process reads at the same time, in bytes. It is divided equally among the threads; unauthenticated callers get an extra sixteenth.",
  },
  heldInputBytesMax: {
    variable: "QUINTET_HELD_INPUT_BYTES_MAX",
    fallback: 64 * MIB,
    bounds: { min: MIB, max: 64 * 1024 * MIB },
    meaning:
      "The most bytes that each thread may hold of requests that it cannot handle yet: partly received headers and frames, and bodies that are not being read yet. One address may use an eighth of it. Above it, requests that arrive in parts are refused.",
  },
  decompressedBytesMax: {
    variable: "QUINTET_DECOMPRESSED_BYTES_MAX",
    fallback: 64 * KIB,
    bounds: { min: KIB, max: 256 * MIB },
    meaning:
      "The largest request message after decompression, in bytes. Methods whose messages are all smaller have a lower limit.",
  },
  urlBytesMax: {
    variable: "QUINTET_URL_BYTES_MAX",
    fallback: 8 * KIB,
    bounds: { min: 256, max: MIB },
    meaning: "The longest path, including the query, in bytes.",
  },
  headerBytesMax: {
    variable: "QUINTET_HEADER_BYTES_MAX",
    fallback: 16 * KIB,
    bounds: { min: KIB, max: MIB },
    meaning: "The most bytes that the names and values of a request's headers may have in total.",
  },
  headersMax: {
    variable: "QUINTET_HEADERS_MAX",
    fallback: 100,
    bounds: { min: 16, max: 1000 },
    meaning: "The most headers a request may have.",
  },
  firstByteTimeoutMs: {
    variable: "QUINTET_FIRST_BYTE_TIMEOUT_MS",
    fallback: 10_000,
    bounds: TIMEOUT_BOUNDS,
    meaning: "How long a new connection may stay silent, or take for its TLS handshake, in milliseconds.",
  },
  headerTimeoutMs: {
    variable: "QUINTET_HEADER_TIMEOUT_MS",
    fallback: 10_000,
    bounds: TIMEOUT_BOUNDS,
    meaning: "How long the headers of a request may take to arrive, in milliseconds.",
  },
  bodyTimeoutMs: {
    variable: "QUINTET_BODY_TIMEOUT_MS",
    fallback: 20_000,
    bounds: TIMEOUT_BOUNDS,
    meaning: "How long a request's body may take to arrive, in milliseconds.",
  },
  idleTimeoutMs: {
    variable: "QUINTET_IDLE_TIMEOUT_MS",
    fallback: 75_000,
    bounds: TIMEOUT_BOUNDS,
    meaning: "How long a connection may stay open without a request, in milliseconds.",
  },
  stallTimeoutMs: {
    variable: "QUINTET_STALL_TIMEOUT_MS",
    fallback: 120_000,
    bounds: TIMEOUT_BOUNDS,
    meaning:
      "How long a caller may leave a response unread, in milliseconds: if the caller does not read 64 KiB of it in this time, the response is cut off.",
  },
  connectionsMax: {
    variable: "QUINTET_CONNECTIONS_MAX",
    fallback: 10_000,
    bounds: COUNT_BOUNDS,
    meaning:
      "The most open connections in each thread. A further connection replaces the oldest one that has made no request yet, or else an idle one.",
  },
  connectionsPerAddressMax: {
    variable: "QUINTET_CONNECTIONS_PER_ADDRESS_MAX",
    fallback: 500,
    bounds: { min: 0, max: 1_000_000 },
    meaning:
      "The most open connections from one address (for IPv6, from one /64 network) in each thread. A further connection replaces one of the address's idle ones. 0 means no limit. Set 0 behind a proxy, because all callers share its address.",
  },
  unsentBytesPerConnectionMax: {
    variable: "QUINTET_UNSENT_BYTES_PER_CONNECTION_MAX",
    fallback: 16 * MIB,
    bounds: { min: MIB, max: 1024 * MIB },
    meaning:
      "The most bytes of responses that may wait to be read on one connection. Above half of it, further calls wait for room until their deadlines.",
  },
  unsentBytesMax: {
    variable: "QUINTET_UNSENT_BYTES_MAX",
    fallback: 64 * MIB,
    bounds: { min: 16 * MIB, max: 16_384 * MIB },
    meaning:
      "The most bytes of responses that may wait to be read in each thread. Above it, connections from the address with the most such bytes are closed, those that have stalled longest first.",
  },
  concurrentRequestsMax: {
    variable: "QUINTET_REQUESTS_UNDER_WAY_MAX",
    fallback: 100,
    bounds: { min: 1, max: 10_000 },
    meaning: "The most concurrent requests on one connection.",
  },
  requestsPerConnectionMax: {
    variable: "QUINTET_REQUESTS_PER_CONNECTION_MAX",
    fallback: 100_000,
    bounds: { min: 1, max: 1_000_000_000 },
    meaning: "How many requests one HTTP/1.1 connection may make before it is closed.",
  },
  streamResetBurst: {
    variable: "QUINTET_STREAM_RESET_BURST",
    fallback: 1000,
    bounds: COUNT_BOUNDS,
    meaning: "How many HTTP/2 streams a peer may reset in a burst on one connection.",
  },
  streamResetsPerSecond: {
    variable: "QUINTET_STREAM_RESETS_PER_SECOND",
    fallback: 33,
    bounds: COUNT_BOUNDS,
    meaning: "How many HTTP/2 streams a peer may reset per second on one connection, beyond the burst.",
  },
} as const satisfies Readonly<Record<string, IntegerSetting>>;

/** The limits set by the environment. */
export type HttpLimits = Readonly<Record<keyof typeof SETTINGS, number>>;

export const readHttpLimits = (environment: Environment): HttpLimits => environment.integers(SETTINGS);

/** The limits when nothing is set. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = readHttpLimits(new Environment({}));
