// The gRPC service config: which calls a client may repeat on its own, how often, and how long a call may take. Made from the descriptors.
// https://github.com/grpc/grpc/blob/master/doc/service_config.md, https://github.com/grpc/proposal/blob/master/A6-client-retries.md
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { ACCOUNT_SERVICES } from "../src/account/account-methods.ts";
import { dataServicesOf, type PresentedService } from "./data-services/data-services.ts";
import { readServices } from "./protos.ts";

// A refusal by the rate limit and a server that cannot respond say how long to wait (`grpc-retry-pushback-ms`); if the monthly quota is
// used up, they say not to retry. So RESOURCE_EXHAUSTED can be in this list. Four attempts outlast a second without tokens and a short
// failure of an upstream.
const RETRY_POLICY = {
  maxAttempts: 4,
  initialBackoff: "0.2s",
  maxBackoff: "2s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE", "RESOURCE_EXHAUSTED"],
};

// A client that is always over its rate, or whose server is down, must not send four times as many calls. A failure takes a token and a
// success returns a tenth of one; with 50 tokens or fewer nothing is repeated.
const RETRY_THROTTLING = { maxTokens: 100, tokenRatio: 0.1 };

// The default of QUINTET_CALL_TIMEOUT_MS, for services with upstreams. A client uses it if it has no deadline, or a later one.
const CALL_TIMEOUT = "30s";
// The same for services without upstreams.
const COMPUTED_TIMEOUT = "5s";
const ACCOUNT_TIMEOUT = "10s";

interface MethodName {
  readonly service: string;
  readonly method?: string;
}

interface MethodConfig {
  readonly name: readonly MethodName[];
  readonly timeout?: string;
  /** Undefined if nothing is repeated. */
  readonly retryPolicy?: typeof RETRY_POLICY;
}

interface ServiceConfig {
  readonly methodConfig: readonly MethodConfig[];
  readonly retryThrottling: typeof RETRY_THROTTLING;
}

/** The service config. Calls with side effects are never repeated. */
export function serviceConfig(): ServiceConfig {
  const services = dataServicesOf(readServices());
  const methods = services.flatMap(({ desc }) => desc.methods);
  // An entry for a method replaces that of its service.
  const changing = methods.filter((method) => !isReading(method)).map(nameOfMethod);
  const ofServices = [CALL_TIMEOUT, COMPUTED_TIMEOUT].map((timeout) => ({
    name: services.filter((service) => timeoutOf(service) === timeout).map(({ desc }) => nameOfService(desc)),
    timeout,
    retryPolicy: RETRY_POLICY,
  }));
  const reads = ACCOUNT_SERVICES.flatMap((service) => service.methods).filter(isReading);
  const streams = [...methods, ...reads].filter(isStream);
  return {
    methodConfig: [
      ...ofServices,
      { name: changing, timeout: CALL_TIMEOUT },
      // A stream lasts as long as its caller wants. It is repeated only if it fails before its first message.
      { name: streams.map(nameOfMethod), retryPolicy: RETRY_POLICY },
      { name: reads.filter((method) => !isStream(method)).map(nameOfMethod), timeout: ACCOUNT_TIMEOUT, retryPolicy: RETRY_POLICY },
    ],
    retryThrottling: RETRY_THROTTLING,
  };
}

const timeoutOf = ({ presentation }: PresentedService): string => (presentation.source === "" ? COMPUTED_TIMEOUT : CALL_TIMEOUT);
const isReading = ({ idempotency }: DescMethod): boolean => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
const isStream = ({ methodKind }: DescMethod): boolean => methodKind !== "unary";
const nameOfService = ({ typeName }: DescService): MethodName => ({ service: typeName });
const nameOfMethod = ({ parent, name }: DescMethod): MethodName => ({ service: parent.typeName, method: name });
