// A decoding error that ends the connection: after it, the tables of the two ends differ.

/**
 * A header block breaks RFC 7541. The connection ends with COMPRESSION_ERROR. The message says why, and contains nothing from the
 * block.
 */
export class CompressionError extends Error {
  override readonly name = "CompressionError";
}
