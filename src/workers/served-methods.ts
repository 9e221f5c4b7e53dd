// The methods that workers serve, by name, for the main thread, which needs a list of them without serving them.
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as AlphaServerReflection } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { ACCOUNT_SERVICES } from "../account/account-methods.ts";
import { rpcPath } from "../gateway/rpc/rpc-path.ts";
import { loadContracts } from "../services/registry.ts";

/** The full name of every method, such as `quintet.farkle.v1.FarkleService/Score`, whether it is turned on or not. */
export async function servedMethods(): Promise<readonly string[]> {
  const services = [...(await loadContracts()), ...ACCOUNT_SERVICES, Health, ServerReflection, AlphaServerReflection];
  return services.flatMap(({ methods }) => methods.map((method) => rpcPath(method).slice(1)));
}

/** The full names of the data services' streaming methods, whose calls last as long as the caller wants. */
export async function streamingMethods(): Promise<ReadonlySet<string>> {
  const methods = (await loadContracts()).flatMap((contract) => contract.methods);
  return new Set(methods.filter(({ methodKind }) => methodKind !== "unary").map((method) => rpcPath(method).slice(1)));
}
