// The runner's protos, read from the image that `run.ts` builds, with types for the fields that are used here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, type DescMessage, type DescService, fromBinary, type Message } from "@bufbuild/protobuf";
import { type Any, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** The path of the image. */
export const IMAGE_PATH = join(import.meta.dirname, "../../../build/conformance/image.binpb");

const PACKAGE = "connectrpc.conformance.v1";

/** A header or a trailer. */
export interface Header {
  readonly name: string;
  readonly value: readonly string[];
}

/** A failure with which the server should respond. */
export interface WantedError {
  readonly code: number;
  readonly message?: string;
  readonly details: readonly Any[];
}

/** What the definitions of unary and streaming responses have in common. */
export interface WantedResponse {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  readonly responseDelayMs: number;
}

/** How a method should respond with one message. */
export interface WantedUnary extends WantedResponse {
  readonly response: { case: "responseData"; value: Uint8Array } | { case: "error"; value: WantedError } | { case: undefined };
}

/** How a method should respond with a stream. */
export interface WantedStream extends WantedResponse {
  readonly responseData: readonly Uint8Array[];
  readonly error?: WantedError;
}

/** A request of any method. */
export interface ConformanceRequest<Wanted> extends Message {
  readonly responseDefinition?: Wanted;
  readonly fullDuplex?: boolean;
}

/** The server that the runner asks for. */
export interface ServerRequest extends Message {
  readonly useTls: boolean;
  readonly clientTlsCert: Uint8Array;
  readonly messageReceiveLimit: number;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array };
}

/** The protos. */
export interface Conformance {
  readonly service: DescService;
  /** The message with this name, which is given without the package. */
  message(name: string): DescMessage;
}

/** Reads the image. */
export function loadConformance(): Conformance {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(IMAGE_PATH)));
  const message = (name: string): DescMessage => {
    const desc = registry.getMessage(`${PACKAGE}.${name}`);
    if (desc === undefined) {
      throw new Error(`the conformance protos have no message ${name}`);
    }
    return desc;
  };
  const service = registry.getService(`${PACKAGE}.ConformanceService`);
  if (service === undefined) {
    throw new Error("the conformance protos have no ConformanceService");
  }
  return { service, message };
}
