// The methods that the dispatcher can route to: every RPC of every service, with its implementation, registered once.
import {
  createRegistry,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type JsonReadOptions,
  type Registry,
} from "@bufbuild/protobuf";
import { createServiceImplSpec } from "@connectrpc/connect";
import { deprecation } from "../../../gen/quintet/options/v1/options_pb.js";
import type { ResponseHeaders } from "../../http/headers.ts";
import type { Service } from "../../services/service.ts";
import type { AccessCheck } from "../access-check.ts";
import type { MessageLimits } from "./codec.ts";
import { createInvoke, createInvokeStream, type Invoke, type InvokeStream } from "./invoke.ts";
import { requestBytesMax } from "./message-size.ts";
import { rpcPath } from "./rpc-path.ts";

// Tells callers that a method will be removed, by the options in its proto. docs/versions.md is the policy.
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MONTHS_MIN = 12;

/**
 * The headers of every response to the method; none if it is not deprecated. Throws an Error that names the method if its options violate
 * the policy. https://www.rfc-editor.org/rfc/rfc9745 https://www.rfc-editor.org/rfc/rfc8594
 */
export function deprecationHeaders(method: DescMethod): ResponseHeaders {
  const isMarked = hasOption(method, deprecation);
  if (isMarked !== method.deprecated) {
    throw new Error(`${method.toString()}: deprecated and (quintet.options.v1.deprecation) must be set together`);
  }
  if (!isMarked) {
    return {};
  }
  const { since, sunset } = getOption(method, deprecation);
  const [sinceMs, sunsetMs] = [dayMs(since), dayMs(sunset)];
  if (sinceMs === undefined || sunsetMs === undefined) {
    throw new Error(`${method.toString()}: since and sunset must be days such as 2027-01-01`);
  }
  const earliest = new Date(sinceMs);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_MIN);
  if (sunsetMs < earliest.getTime()) {
    throw new Error(`${method.toString()}: sunset must be at least ${MONTHS_MIN} months after since`);
  }
  return { deprecation: `@${sinceMs / 1000}`, sunset: new Date(sunsetMs).toUTCString() };
}

function dayMs(day: string): number | undefined {
  const ms = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** How the RPC protocols read and write messages as JSON. */
interface JsonOptions extends Partial<JsonReadOptions> {
  /** The types that an Any may contain. */
  readonly registry: Registry;
  /** An unknown name is far more often a typo than a name from a newer version. */
  readonly ignoreUnknownFields: false;
}

export interface Method {
  /** `/quintet.farkle.v1.FarkleService/Score` */
  readonly path: string;
  /** The path without its first slash, for usage records, logs and errors. */
  readonly fullName: string;
  /** Decides who may call it. */
  readonly accessCheck: AccessCheck;
  /** Headers of every response, including refusals. */
  readonly headers: ResponseHeaders;
  /** How large its requests may be: no larger than its input message can be. */
  readonly messageLimits: MessageLimits;
  readonly desc: DescMethod;
  readonly jsonOptions: JsonOptions;
  /** Calls the implementation; undefined if the method is not unary. */
  readonly invoke: Invoke | undefined;
  /** Calls the implementation of a server-streaming method; undefined for any other. */
  readonly invokeStream: InvokeStream | undefined;
}

export interface CheckedService extends Service {
  readonly accessCheck: AccessCheck;
  /** The methods that have a different access check. */
  readonly otherAccessChecks?: ReadonlyMap<DescMethod, AccessCheck>;
}

/** The options for these services. The types that they put into an Any must be in their own proto files. */
export function jsonOptionsOf(services: readonly Service[]): JsonOptions {
  return { registry: createRegistry(...services.map(({ desc }) => desc.file)), ignoreUnknownFields: false };
}

// The limits of one method, which may be smaller than `limits`.
function narrowed(limits: MessageLimits, desc: DescMethod): MessageLimits {
  const bytesMax = requestBytesMax(desc.input);
  const { bodyBytesMax, messageBytesMax } = limits;
  return { ...limits, bodyBytesMax: Math.min(bodyBytesMax, bytesMax), messageBytesMax: Math.min(messageBytesMax, bytesMax) };
}

/** Path → method, for all RPCs of the services. `limits` apply to methods whose access check has none. */
export function collectMethods(services: readonly CheckedService[], limits: MessageLimits): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  const jsonOptions = jsonOptionsOf(services);
  for (const service of services) {
    const specs = createServiceImplSpec<DescService>(service.desc, service.implementation);
    for (const implementation of Object.values(specs.methods)) {
      const desc = implementation.method;
      const path = rpcPath(desc);
      const invoke = createInvoke(implementation);
      const invokeStream = createInvokeStream(implementation);
      const accessCheck = service.otherAccessChecks?.get(desc) ?? service.accessCheck;
      const messageLimits = narrowed(accessCheck.messageLimits ?? limits, desc);
      const headers = { ...accessCheck.headers, ...deprecationHeaders(desc) };
      const fullName = path.slice(1);
      methods.set(path, { path, fullName, accessCheck, headers, messageLimits, desc, jsonOptions, invoke, invokeStream });
    }
  }
  return methods;
}
