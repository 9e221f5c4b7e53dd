// Undoes the content coding of a body that has been received whole, within a bound: a few kilobytes can unpack to gigabytes.
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { UpstreamFault } from "./fault.ts";

/** The codings that are understood, as `accept-encoding` says it. */
export const ACCEPTED_CODINGS = "gzip, br";

const UNPACKERS = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["br", promisify(brotliDecompress)],
]);

/**
 * The body without its coding. `coding` is the `content-encoding` header. Throws an UpstreamFault "body" where the coding is not
 * one that we asked for, the bytes are not in it, or more than `bytesMax` bytes come out.
 */
export async function decoded(body: Buffer, coding: string | undefined, bytesMax: number): Promise<Buffer> {
  const name = (coding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") {
    return body;
  }
  const unpack = UNPACKERS.get(name);
  if (unpack === undefined) {
    throw new UpstreamFault("body", "the body has a coding that was not asked for");
  }
  try {
    return await unpack(body, { maxOutputLength: bytesMax });
  } catch (cause) {
    throw new UpstreamFault("body", "the body does not unpack, or to too much", { cause });
  }
}
