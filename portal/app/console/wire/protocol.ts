// The ways in which the console calls a method. Browsers cannot send gRPC itself, which needs trailers and control over HTTP/2: its bytes
// are computed.
import type { ConsoleMethod } from "../contract/contract.ts";

export type ProtocolId = "rest" | "rest-body" | "connect" | "connect-proto" | "connect-get" | "grpc-web" | "grpc-web-text" | "grpc";

export interface Protocol {
  readonly id: ProtocolId;
  readonly title: string;
  /** The encoding of a body: `JSON` or `protobuf`. */
  readonly encoding: "JSON" | "protobuf";
  /** Whether messages are put in envelopes: a flag, a length and the message. */
  readonly isEnveloped: (isStream: boolean) => boolean;
}

const always = (): boolean => true;
const never = (): boolean => false;
const inStreams = (isStream: boolean): boolean => isStream;

/** All protocols, in the order in which they are offered. */
export const PROTOCOLS: readonly Protocol[] = [
  { id: "rest", title: "REST, query", encoding: "JSON", isEnveloped: never },
  { id: "rest-body", title: "REST, JSON body", encoding: "JSON", isEnveloped: never },
  { id: "connect", title: "Connect, JSON", encoding: "JSON", isEnveloped: inStreams },
  { id: "connect-proto", title: "Connect, binary", encoding: "protobuf", isEnveloped: inStreams },
  { id: "connect-get", title: "Connect, GET", encoding: "JSON", isEnveloped: inStreams },
  { id: "grpc-web", title: "gRPC-Web, binary", encoding: "protobuf", isEnveloped: always },
  { id: "grpc-web-text", title: "gRPC-Web, text", encoding: "protobuf", isEnveloped: always },
  { id: "grpc", title: "gRPC", encoding: "protobuf", isEnveloped: always },
];

/** `Connect, JSON` */
export const titleOfProtocol = (id: ProtocolId): string => PROTOCOLS.find((one) => one.id === id)?.title ?? id;

/** The protocols in which a method can be called. */
export const protocolsOf = ({ isIdempotent, verb, takesPost }: ConsoleMethod): readonly Protocol[] =>
  PROTOCOLS.filter(
    ({ id }) => (id !== "connect-get" || isIdempotent) && (id !== "rest" || verb === "GET") && (id !== "rest-body" || takesPost),
  );

/** The protocol with this name, or the first. */
export const protocolOf = (protocols: readonly Protocol[], id: string): Protocol =>
  protocols.find((one) => one.id === id) ?? (protocols[0] as Protocol);
