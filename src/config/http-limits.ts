// The limits of the transport, of which one depends on what is in front of a server, and can be set; and those of a request's message.
import { DEFAULT_LIMITS } from "@quintet/http";
import type { Environment } from "./environment.ts";

const KIB = 1024;

/** The limits when nothing is set. A process's threads divide `bodiesBytesMax` among them. */
export const DEFAULT_HTTP_LIMITS = {
  ...DEFAULT_LIMITS,
  /** The largest request body. No message of a request is half as large. */
  bodyBytesMax: 64 * KIB,
  /** The largest message after decompression. Methods whose messages are all smaller have a lower limit. */
  decompressedBytesMax: 64 * KIB,
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
