// The services' contract as the console needs it: the descriptors of what it calls, and the texts that descriptors lack. Both are built
// with the site, and loaded when the console is opened.
import {
  createFileRegistry,
  type DescExtension,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  getOption,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConsoleMethodText } from "../../../content/console.ts";

/** A method that can be called. */
export interface ConsoleMethod extends ConsoleMethodText {
  readonly desc: DescMethod;
  /** Whether the response is a stream. */
  readonly isStream: boolean;
  /** Whether Connect may call it by GET. */
  readonly isIdempotent: boolean;
  /** `/radio/v1/search`, for POST with a body and, if `verb` says so, for GET with a query. */
  readonly restPath: string;
  /** The HTTP method in REST; POST if the call changes something. */
  readonly verb: "GET" | "POST";
  /** The field of the response that is `data` over REST; empty if it is the whole response. */
  readonly restResponseField: string;
}

/** Every method that can be called. */
export interface Contract {
  readonly registry: FileRegistry;
  readonly methods: readonly ConsoleMethod[];
  /** A method by its path in the console, `radio/search-stations`, or by its RPC name. Undefined if there is none. */
  find(name: string): ConsoleMethod | undefined;
}

interface HttpRule {
  readonly pattern: { readonly case?: string; readonly value?: string };
  readonly responseBody: string;
}

/** Reads a `FileDescriptorSet` and the texts that go with it. */
export function readContract(descriptors: Uint8Array, texts: readonly ConsoleMethodText[]): Contract {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
  const http = extensionOf(registry, "google.api.http");
  const methods = texts.flatMap((text) => {
    const [service = "", name] = text.rpc.split("/");
    const desc = registry.getService(service)?.methods.find((method) => method.name === name);
    return desc === undefined ? [] : [methodOf(text, desc, getOption(desc, http) as unknown as HttpRule)];
  });
  const byName = new Map(methods.flatMap((method) => [method.slug, method.rpc].map((name) => [name.toLowerCase(), method])));
  return { registry, methods, find: (name) => byName.get(name.toLowerCase()) };
}

function methodOf(text: ConsoleMethodText, desc: DescMethod, rule: HttpRule): ConsoleMethod {
  return {
    ...text,
    desc,
    isStream: desc.methodKind === "server_streaming",
    isIdempotent: desc.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS && desc.methodKind === "unary",
    restPath: rule.pattern.value ?? "",
    verb: rule.pattern.case === "post" ? "POST" : "GET",
    restResponseField: rule.responseBody,
  };
}

/** An extension of the descriptors, such as `buf.validate.field`. Throws if it is missing, which is a defect of the site. */
export function extensionOf(registry: FileRegistry, name: string): DescExtension {
  const extension = registry.getExtension(name);
  if (extension === undefined) {
    throw new Error(`The console's descriptors have no ${name}`);
  }
  return extension;
}
