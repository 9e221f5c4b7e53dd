// The runner's own protos, read from the image that `run.ts` builds of them, with the fields that are used here spelled out as types.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, type DescMessage, type DescService, fromBinary, type Message } from "@bufbuild/protobuf";
import { type Any, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** Where the image is. */
export const IMAGE_PATH = join(import.meta.dirname, "../../../build/conformance/image.binpb");

const PACKAGE = "connectrpc.conformance.v1";

/** A header or a trailer. */
export interface Header {
  readonly name: string;
  readonly value: readonly string[];
}

/** A failure that the server is asked for. */
export interface WantedError {
  readonly code: number;
  readonly message?: string;
  readonly details: readonly Any[];
}

/** What both kinds of answer have. */
export interface WantedAnswer {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  readonly responseDelayMs: number;
}

/** What a method with one answer should do. */
export interface WantedOne extends WantedAnswer {
  readonly response: { case: "responseData"; value: Uint8Array } | { case: "error"; value: WantedError } | { case: undefined };
}

/** What a method with many answers should do. */
export interface WantedMany extends WantedAnswer {
  readonly responseData: readonly Uint8Array[];
  readonly error?: WantedError;
}

/** A request of any method. */
export interface ConformanceRequest<Wanted> extends Message {
  readonly responseDefinition?: Wanted;
  readonly fullDuplex?: boolean;
}

/** What the runner asks a server to be. */
export interface ServerRequest extends Message {
  readonly useTls: boolean;
  readonly clientTlsCert: Uint8Array;
  readonly messageReceiveLimit: number;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array };
}

/** The protos. */
export interface Conformance {
  readonly service: DescService;
  /** A message by its name without the package. */
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
