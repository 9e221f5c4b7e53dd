// The methods that the dispatcher can route to: every RPC of every service, with its implementation, registered once.
import { createRegistry, type DescMethod, type DescService, type JsonReadOptions, type Registry } from "@bufbuild/protobuf";
import { createServiceImplSpec } from "@connectrpc/connect";
import type { Service } from "../../services/service.ts";
import type { AccessCheck } from "../access-check.ts";
import { createInvoke, createInvokeStream, type Invoke, type InvokeStream } from "./invoke.ts";
import { rpcPath } from "./rpc-path.ts";

/** How messages of the RPC protocols are read from JSON and written as it. */
export interface JsonOptions extends Partial<JsonReadOptions> {
  /** The types that an Any may hold. */
  readonly registry: Registry;
  /** A newer client may send fields that are not known here. Connect and gRPC ignore them. */
  readonly ignoreUnknownFields: true;
}

/** One RPC. */
export interface Method {
  /** `/quintet.farkle.v1.FarkleService/Score` */
  readonly path: string;
  /** The path without its first slash, for usage records, logs and errors. */
  readonly fullName: string;
  /** Decides who may call it. */
  readonly accessCheck: AccessCheck;
  readonly desc: DescMethod;
  readonly jsonOptions: JsonOptions;
  /** Calls the implementation; undefined where the method is not unary. */
  readonly invoke: Invoke | undefined;
  /** The same for a method that answers one message with a stream; undefined where it does not. */
  readonly invokeStream: InvokeStream | undefined;
}

/** A service with its access check. */
export interface CheckedService extends Service {
  readonly accessCheck: AccessCheck;
  /** The access checks of those of its methods that have another one. */
  readonly otherAccessChecks?: ReadonlyMap<DescMethod, AccessCheck>;
}

/** The options for these services. The types that they put into an Any must be in their own proto files. */
export function jsonOptionsOf(services: readonly Service[]): JsonOptions {
  return { registry: createRegistry(...services.map(({ desc }) => desc.file)), ignoreUnknownFields: true };
}

/** Path → method, for all RPCs of the services. */
export function collectMethods(services: readonly CheckedService[]): ReadonlyMap<string, Method> {
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
      methods.set(path, { path, fullName: path.slice(1), accessCheck, desc, jsonOptions, invoke, invokeStream });
    }
  }
  return methods;
}
