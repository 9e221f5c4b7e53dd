// The text form of gRPC-Web: the body is base64, for clients that cannot read bytes as they arrive. It may consist of several base64
// strings in a row, each with its own padding, so that each message can be sent and read by itself.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
import { Failure } from "../../problem/failure.ts";

const TEXT_TYPE = "application/grpc-web-text";
const BINARY_TYPE = "application/grpc-web";
const BASE64 = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;

/** Whether the media type is that of the text form. */
export const isTextType = (mediaType: string): boolean => mediaType.startsWith(TEXT_TYPE);
/** The media type of the same messages in the binary form. */
export const binaryTypeOf = (mediaType: string): string => mediaType.replace(TEXT_TYPE, BINARY_TYPE);
/** The media type of the same messages in the text form. */
export const textTypeOf = (mediaType: string): string => mediaType.replace(BINARY_TYPE, TEXT_TYPE);

/** Bytes as a separate base64 string. */
export const encodeText = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"), "latin1");

/** The bytes of a whole body. Throws a Failure MALFORMED_REQUEST if it is not base64. */
export const decodeText = (body: Uint8Array): Uint8Array => decode(Buffer.from(body).toString("latin1"));

/** The bytes of a body that arrives in pieces, cut anywhere. Throws a Failure MALFORMED_REQUEST if it is not base64. */
export async function* decodeTextChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // At most three characters: base64 is decoded four at a time.
  let rest = "";
  for await (const chunk of chunks) {
    const text = rest + Buffer.from(chunk).toString("latin1");
    const whole = text.length - (text.length % 4);
    rest = text.slice(whole);
    yield decode(text.slice(0, whole));
  }
  // Throws if anything is left.
  decode(rest);
}

function decode(text: string): Uint8Array {
  if (!BASE64.test(text)) {
    throw new Failure({ reason: "MALFORMED_REQUEST", message: "The body of a grpc-web-text request must be base64." });
  }
  return Buffer.concat((text.match(/[^=]+=*/g) ?? []).map((part) => Buffer.from(part, "base64")));
}
