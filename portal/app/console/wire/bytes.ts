// Bytes in the forms that the console's protocols use.
import { base64Decode } from "@bufbuild/protobuf/wire";

/** Bytes that `fetch` can send. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Encodes text as UTF-8. */
export const bytesOf = (text: string): Bytes => new TextEncoder().encode(text);

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export function joined(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The five bytes before a message: a flag and its length, big-endian. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export function envelope(flag: number, message: Uint8Array): Bytes {
  const head = new Uint8Array(5);
  head[0] = flag;
  new DataView(head.buffer).setUint32(1, message.length);
  return joined([head, message]);
}

/** Decodes concatenated base64 texts, each with its own padding, as in gRPC-Web's text form. An incomplete end is left out. */
export function base64Segments(text: string): Bytes {
  const whole = text.slice(0, text.length - (text.length % 4));
  return joined([...whole.matchAll(/[A-Za-z0-9+/]+={0,2}/g)].map(([segment]) => base64Decode(segment)));
}
