// How much of everything a peer may take: bytes, counts and time. Their defaults and settings are in config/http-limits.ts.

/** The transport's limits. Counts of connections, and the bytes of all bodies, are of one thread's listener. */
export interface ServerLimits {
  /** The longest request body that is read. */
  readonly bodyBytesMax: number;
  /** Request bodies that are being read at the same time, together. */
  readonly bodiesBytesMax: number;
  /** The longest request message after decompression. */
  readonly decompressedBytesMax: number;
  /** The longest path with its query. */
  readonly urlBytesMax: number;
  /** The names and values of a request's headers, together. */
  readonly headerBytesMax: number;
  /** The number of a request's headers. */
  readonly headersMax: number;
  /** From accepting a connection until it is clear what it speaks, the TLS handshake included. */
  readonly firstByteTimeoutMs: number;
  /** From a request's first byte to its last header; over HTTP/2 from the first byte of a frame other than DATA, or of a header block, that does not come at once. */
  readonly headerTimeoutMs: number;
  /** From the moment at which the reading of a body begins until all of it has arrived. */
  readonly bodyTimeoutMs: number;
  /** How long a connection may stay without a request. */
  readonly idleTimeoutMs: number;
  /** The longest time in which a peer may read nothing of an answer that waits for it, or in which an HTTP/1.1 connection with a request under way may stay without traffic. */
  readonly stallTimeoutMs: number;
  /** Open connections. One more takes the place of one on which nothing is under way, and is closed at once where there is none. */
  readonly connectionsMax: number;
  /** Open connections of one address, or of one IPv6 network of 2^64. One more takes the place of another of them in the same way. 0 for any number. */
  readonly connectionsPerAddressMax: number;
  /** Bytes of answers that wait on one connection to be read. */
  readonly unsentBytesPerConnectionMax: number;
  /** Bytes of answers that wait on all connections to be read, with what is held beside them. */
  readonly unsentBytesMax: number;
  /** Requests under way on one connection: HTTP/2 streams, or pipelined HTTP/1.1 requests. */
  readonly requestsUnderWayMax: number;
  /** Requests on one HTTP/1.1 connection before it is closed, so that a balancer can move its caller. */
  readonly requestsPerConnectionMax: number;
  /** Streams that a peer may reset at once on one HTTP/2 connection. */
  readonly streamResetBurst: number;
  /** Streams that a peer may reset each second, for long, on one HTTP/2 connection. */
  readonly streamResetsPerSecond: number;
}
