// The methods that the front can route to: every RPC of every service, with its implementation, registered once.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { createServiceImplSpec, type Interceptor } from "@connectrpc/connect";
import type { DataService, ServiceName } from "../services/service.ts";
import { createInvoke, type Invoke } from "./invoke.ts";

/** One RPC. */
export interface Method {
  /** `/quintet.farkle.v1.FarkleService/Score` */
  readonly path: string;
  /** The path without its first slash: for records of usage, logs and errors. */
  readonly fullName: string;
  readonly service: ServiceName;
  readonly desc: DescMethod;
  /** Calls the implementation through the interceptors; undefined where the method is not unary. */
  readonly invoke: Invoke | undefined;
}

/** The path of an RPC: the same for gRPC, gRPC-Web and Connect. */
export function rpcPath(desc: DescMethod): string {
  return `/${desc.parent.typeName}/${desc.name}`;
}

/** Path → method, for all RPCs of the services. `interceptors[0]` is outermost. */
export function collectMethods(
  services: readonly DataService[],
  interceptors: readonly Interceptor[],
): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  for (const service of services) {
    const specs = createServiceImplSpec<DescService>(service.desc, service.implementation);
    for (const implementation of Object.values(specs.methods)) {
      const desc = implementation.method;
      const path = rpcPath(desc);
      const invoke = createInvoke(implementation, interceptors);
      methods.set(path, { path, fullName: path.slice(1), service: service.name, desc, invoke });
    }
  }
  return methods;
}
