// The codecs of one method by content type. Created once per method, so a call costs one lookup.
import type { Codec } from "./codec.ts";
import { ConnectGetCodec, ConnectPostCodec } from "./codecs/connect.ts";
import { GrpcCodec } from "./codecs/grpc.ts";
import { GrpcWebCodec } from "./codecs/grpc-web.ts";
import type { Form } from "./message.ts";
import type { Method } from "./method.ts";

export interface CodecTable {
  /** The codecs for POST, by media type. */
  readonly post: ReadonlyMap<string, Codec>;
  /** The codecs for Connect's GET, by the `encoding` parameter; empty if the method has side effects. */
  readonly get: ReadonlyMap<string, Codec>;
}

const FORMS: readonly Form[] = ["proto", "json"];

/** `mayGet`: whether the method has no side effects. */
export function createCodecTable(method: Method, mayGet: boolean): CodecTable {
  const post = new Map<string, Codec>();
  for (const form of FORMS) {
    post.set(`application/${form}`, new ConnectPostCodec(method, form));
    post.set(`application/grpc+${form}`, new GrpcCodec(method, form));
    post.set(`application/grpc-web+${form}`, new GrpcWebCodec(method, form, "binary"));
    post.set(`application/grpc-web-text+${form}`, new GrpcWebCodec(method, form, "text"));
  }
  post.set("application/grpc", new GrpcCodec(method, "proto"));
  post.set("application/grpc-web", new GrpcWebCodec(method, "proto", "binary"));
  post.set("application/grpc-web-text", new GrpcWebCodec(method, "proto", "text"));
  return { post, get: new Map(mayGet ? FORMS.map((form) => [form, new ConnectGetCodec(method, form)]) : []) };
}
