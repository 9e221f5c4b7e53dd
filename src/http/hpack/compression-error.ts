// What breaks a connection for good: a header block that can not be decoded leaves the two ends with different tables.

/** A header block breaks RFC 7541. The connection ends with COMPRESSION_ERROR; the message says why, and holds nothing of the block. */
export class CompressionError extends Error {
  override readonly name = "CompressionError";
}
