// The limits on what a peer may use: bytes, counts and time.

/** The limits of one server. With several threads, each has a server with its own counts of connections and bytes. */
export interface ServerLimits {
  /** The most bytes of all request bodies that are being read at the same time. */
  readonly bodiesBytesMax: number;
  /** The most bytes of input that cannot be used yet: heads and frames in parts, and bodies that are not being read yet. */
  readonly heldInputBytesMax: number;
  /** The longest path with its query. */
  readonly urlBytesMax: number;
  /** The most bytes of a request's header names and values together. */
  readonly headerBytesMax: number;
  /** The most headers that a request may have. */
  readonly headersMax: number;
  /** The longest time from accepting a connection until its protocol is known, including the TLS handshake. */
  readonly firstByteTimeoutMs: number;
  /**
   * The longest time from a request's first byte to its last header. Over HTTP/2, the longest time for a header block or any frame other
   * than DATA that arrives in parts.
   */
  readonly headerTimeoutMs: number;
  /** The longest time from the start of reading a body until all of it has arrived. */
  readonly bodyTimeoutMs: number;
  /** How long a connection may stay open without a request. */
  readonly idleTimeoutMs: number;
  /**
   * How long a peer may leave a pending response unread, or an HTTP/1.1 connection may have no traffic while a request is in progress.
   */
  readonly stallTimeoutMs: number;
  /** The most open connections. One more replaces an idle connection, or is closed at once if none is idle. */
  readonly connectionsMax: number;
  /**
   * The most open connections per address, or per IPv6 /64 network. One more replaces an idle connection from the same address or network,
   * or is closed at once if none is idle. 0 means no limit.
   */
  readonly connectionsPerAddressMax: number;
  /** The most bytes of unread responses on one connection. */
  readonly unsentBytesPerConnectionMax: number;
  /** The most bytes of unread responses on all connections, including the overhead of each response. */
  readonly unsentBytesMax: number;
  /** The most requests in progress on one connection: HTTP/2 streams or pipelined HTTP/1.1 requests. */
  readonly concurrentRequestsMax: number;
  /** How many requests one HTTP/1.1 connection serves before it is closed, so that a balancer can move its caller. */
  readonly requestsPerConnectionMax: number;
  /** The most streams that a peer may reset in a burst on one HTTP/2 connection. */
  readonly streamResetBurst: number;
  /** The most streams that a peer may reset per second, over time, on one HTTP/2 connection. */
  readonly streamResetsPerSecond: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** The limits when none is given. */
export const DEFAULT_LIMITS = {
  bodiesBytesMax: 64 * MIB,
  heldInputBytesMax: 64 * MIB,
  // As in nginx and Apache.
  urlBytesMax: 8 * KIB,
  // As in Node.
  headerBytesMax: 16 * KIB,
  headersMax: 100,
  firstByteTimeoutMs: 10_000,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 20_000,
  // Longer than the 60 seconds for which most load balancers keep a connection, so that they close it first.
  idleTimeoutMs: 75_000,
  // In which a caller must read 64 KiB of its response.
  stallTimeoutMs: 120_000,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 500,
  unsentBytesPerConnectionMax: 16 * MIB,
  unsentBytesMax: 64 * MIB,
  // As grpc-go and nghttp2 allow.
  concurrentRequestsMax: 100,
  requestsPerConnectionMax: 100_000,
  // Many more than clients that cancel calls need.
  streamResetBurst: 1000,
  streamResetsPerSecond: 33,
} as const satisfies ServerLimits;
