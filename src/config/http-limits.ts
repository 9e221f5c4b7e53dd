// The limits of the transport: the value that holds when the environment does not say otherwise, its variable, bounds and meaning.
import type { Environment } from "./environment.ts";

/** The limits that hold when nothing is set. */
export const defaultServerLimits = {
  bodyBytesMax: 64 * 1024,
  bodiesBytesMax: 64 * 1024 * 1024,
  decompressedBytesMax: 256 * 1024,
  urlBytesMax: 8 * 1024,
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  firstByteTimeoutMs: 10_000,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 20_000,
  idleTimeoutMs: 75_000,
  stallTimeoutMs: 120_000,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 500,
  unsentBytesPerConnectionMax: 16 * 1024 * 1024,
  unsentBytesMax: 64 * 1024 * 1024,
  requestsUnderWayMax: 100,
  requestsPerConnectionMax: 100_000,
  streamResetBurst: 1000,
  streamResetsPerSecond: 33,
};

/** What each limit is. */
export type HttpLimits = Readonly<Record<keyof typeof defaultServerLimits, number>>;

const KIB = 1024;
const MIB = 1024 * KIB;
const timeout = { min: 1, max: 3_600_000 };

/** Reads the limits from the environment. */
export function readServerLimits(environment: Environment): HttpLimits {
  const fallback = defaultServerLimits;
  const read = (name: string, limit: keyof HttpLimits, bounds: { min: number; max: number }, meaning: string): number =>
    environment.integer(name, fallback[limit], bounds, meaning);
  return {
    bodyBytesMax: read(
      "QUINTET_BODY_BYTES_MAX",
      "bodyBytesMax",
      { min: KIB, max: 64 * MIB },
      "The longest request body, in bytes.",
    ),
    bodiesBytesMax: read(
      "QUINTET_BODIES_BYTES_MAX",
      "bodiesBytesMax",
      { min: MIB, max: 64 * 1024 * MIB },
      "The request bodies that one process reads at the same time, together, in bytes. Its threads have equal parts, and callers who are not signed in a sixteenth more.",
    ),
    decompressedBytesMax: read(
      "QUINTET_DECOMPRESSED_BYTES_MAX",
      "decompressedBytesMax",
      { min: KIB, max: 256 * MIB },
      "The longest request message after decompression, in bytes.",
    ),
    urlBytesMax: read("QUINTET_URL_BYTES_MAX", "urlBytesMax", { min: 256, max: MIB }, "The longest path with its query, in bytes."),
    headerBytesMax: read(
      "QUINTET_HEADER_BYTES_MAX",
      "headerBytesMax",
      { min: KIB, max: MIB },
      "The names and values of a request's headers together, in bytes.",
    ),
    headersMax: read("QUINTET_HEADERS_MAX", "headersMax", { min: 16, max: 1000 }, "The number of a request's headers."),
    firstByteTimeoutMs: read(
      "QUINTET_FIRST_BYTE_TIMEOUT_MS",
      "firstByteTimeoutMs",
      timeout,
      "How long a new connection may stay silent, or shake hands, in milliseconds.",
    ),
    headerTimeoutMs: read(
      "QUINTET_HEADER_TIMEOUT_MS",
      "headerTimeoutMs",
      timeout,
      "How long the headers of a request may take, in milliseconds.",
    ),
    bodyTimeoutMs: read(
      "QUINTET_BODY_TIMEOUT_MS",
      "bodyTimeoutMs",
      timeout,
      "How long a request's body may take, in milliseconds.",
    ),
    idleTimeoutMs: read(
      "QUINTET_IDLE_TIMEOUT_MS",
      "idleTimeoutMs",
      timeout,
      "How long a connection may stay open without a request, in milliseconds.",
    ),
    stallTimeoutMs: read(
      "QUINTET_STALL_TIMEOUT_MS",
      "stallTimeoutMs",
      timeout,
      "How long a caller may leave an answer unread, in milliseconds: one that does not take 64 KiB of it in this time is cut off.",
    ),
    connectionsMax: read(
      "QUINTET_CONNECTIONS_MAX",
      "connectionsMax",
      { min: 1, max: 1_000_000 },
      "Open connections in each thread.",
    ),
    connectionsPerAddressMax: read(
      "QUINTET_CONNECTIONS_PER_ADDRESS_MAX",
      "connectionsPerAddressMax",
      { min: 0, max: 1_000_000 },
      "Open connections of one address (of IPv6: of one /64 network) in each thread; 0 for any number. Behind a proxy, whose address all callers share, set 0.",
    ),
    unsentBytesPerConnectionMax: read(
      "QUINTET_UNSENT_BYTES_PER_CONNECTION_MAX",
      "unsentBytesPerConnectionMax",
      { min: MIB, max: 1024 * MIB },
      "Bytes of answers that may wait on one connection to be read; an answer beyond is broken off.",
    ),
    unsentBytesMax: read(
      "QUINTET_UNSENT_BYTES_MAX",
      "unsentBytesMax",
      { min: 16 * MIB, max: 16_384 * MIB },
      "Bytes of answers that may wait to be read in each thread; beyond, the connections that have read nothing for longest are cut.",
    ),
    requestsUnderWayMax: read(
      "QUINTET_REQUESTS_UNDER_WAY_MAX",
      "requestsUnderWayMax",
      { min: 1, max: 10_000 },
      "Requests under way at once on one connection.",
    ),
    requestsPerConnectionMax: read(
      "QUINTET_REQUESTS_PER_CONNECTION_MAX",
      "requestsPerConnectionMax",
      { min: 1, max: 1_000_000_000 },
      "Requests on one HTTP/1.1 connection before it is closed.",
    ),
    streamResetBurst: read(
      "QUINTET_STREAM_RESET_BURST",
      "streamResetBurst",
      { min: 1, max: 1_000_000 },
      "HTTP/2 streams that a peer may reset at once on one connection.",
    ),
    streamResetsPerSecond: read(
      "QUINTET_STREAM_RESETS_PER_SECOND",
      "streamResetsPerSecond",
      { min: 1, max: 1_000_000 },
      "HTTP/2 streams that a peer may reset each second on one connection, beyond the burst.",
    ),
  };
}
