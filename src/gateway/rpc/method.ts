// The methods that the dispatcher can route to: every RPC of every service, with its implementation, registered once.
import {
  createRegistry,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  isFieldSet,
  type JsonReadOptions,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  BytesRulesSchema,
  type FieldRules,
  field as fieldRules,
  Ignore,
  MapRulesSchema,
  RepeatedRulesSchema,
  StringRulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { createServiceImplSpec } from "@connectrpc/connect";
import type { ResponseHeaders } from "@quintet/http";
import { deprecation } from "../../../gen/quintet/options/v1/options_pb.js";
import type { Service } from "../../services/service.ts";
import type { AccessCheck } from "../access-check.ts";
import type { MessageLimits } from "./codec.ts";
import { createInvoke, createInvokeStream, type Invoke, type InvokeStream } from "./invoke.ts";
import { rpcPath } from "./rpc-path.ts";

/** An allowance for every request: white space, and fields of a newer proto. */
const REQUEST_BYTES_MIN = 4096;
/** The most bytes of a code point: two JSON escapes such as `\ud83d\ude00`, or four escaped bytes such as `%F0` in a form. */
const CODE_POINT_BYTES = 12;
/** A byte of a string as a JSON escape, `\u0001`; in base64 it takes less. */
const ESCAPED_BYTE_BYTES = 6;
/** A number of 64 bits as a string, with all its digits. */
const NUMBER_BYTES = 32;
/** A time or a duration as a string. */
const TIME_BYTES = 64;
/** The characters around a value: quotes, a comma, an indent. */
const VALUE_OVERHEAD_BYTES = 64;

const TIME_TYPES: ReadonlySet<string> = new Set(["google.protobuf.Timestamp", "google.protobuf.Duration"]);

/** The largest size of a request of this type, in bytes. Infinite if its rules leave a string or a list without a limit. */
export function requestBytesMax(desc: DescMessage): number {
  return Math.max(REQUEST_BYTES_MIN, bytesOfMessage(desc, new Set()));
}

function bytesOfMessage(desc: DescMessage, outer: ReadonlySet<DescMessage>): number {
  if (TIME_TYPES.has(desc.typeName)) {
    return TIME_BYTES;
  }
  if (outer.has(desc)) {
    return Number.POSITIVE_INFINITY;
  }
  const within = new Set([...outer, desc]);
  return desc.fields.reduce(
    (bytes, field) => bytes + field.name.length + VALUE_OVERHEAD_BYTES + bytesOfField(field, within),
    VALUE_OVERHEAD_BYTES,
  );
}

function bytesOfField(field: DescField, outer: ReadonlySet<DescMessage>): number {
  const rules = rulesOf(hasOption(field, fieldRules) ? getOption(field, fieldRules) : undefined);
  switch (field.fieldKind) {
    case "list": {
      const list = rules?.type.case === "repeated" ? rules.type.value : undefined;
      const isBounded = list !== undefined && isFieldSet(list, RepeatedRulesSchema.field.maxItems);
      const { scalar, message, enum: values } = field;
      return times(
        isBounded ? list.maxItems : undefined,
        bytesOfValue({ scalar, message, enum: values }, rulesOf(list?.items), outer),
      );
    }
    case "map": {
      const map = rules?.type.case === "map" ? rules.type.value : undefined;
      const isBounded = map !== undefined && isFieldSet(map, MapRulesSchema.field.maxPairs);
      const { scalar, message, enum: values } = field;
      const key = bytesOfScalar(field.mapKey, rulesOf(map?.keys));
      const value = bytesOfValue({ scalar, message, enum: values }, rulesOf(map?.values), outer);
      return times(isBounded ? map.maxPairs : undefined, key + value);
    }
    default: {
      const { scalar, message, enum: values } = field;
      return bytesOfValue({ scalar, message, enum: values }, rules, outer);
    }
  }
}

// Ignored rules are not bounds.
const rulesOf = (rules: FieldRules | undefined): FieldRules | undefined => (rules?.ignore === Ignore.ALWAYS ? undefined : rules);

const times = (count: bigint | undefined, bytes: number): number =>
  count === undefined ? Number.POSITIVE_INFINITY : Number(count) * (VALUE_OVERHEAD_BYTES + bytes);

interface ValueType {
  readonly scalar: ScalarType | undefined;
  readonly message: DescMessage | undefined;
  readonly enum: DescEnum | undefined;
}

function bytesOfValue(
  { scalar, message, enum: values }: ValueType,
  rules: FieldRules | undefined,
  outer: ReadonlySet<DescMessage>,
): number {
  if (message !== undefined) {
    return bytesOfMessage(message, outer);
  }
  return values === undefined
    ? bytesOfScalar(scalar as ScalarType, rules)
    : Math.max(NUMBER_BYTES, ...values.values.map(({ name }) => name.length));
}

function bytesOfScalar(scalar: ScalarType, rules: FieldRules | undefined): number {
  switch (scalar) {
    case ScalarType.STRING:
      return rules?.type.case === "string" ? bytesOfText(rules.type.value) : Number.POSITIVE_INFINITY;
    case ScalarType.BYTES:
      return rules?.type.case === "bytes" && isFieldSet(rules.type.value, BytesRulesSchema.field.maxLen)
        ? Number(rules.type.value.maxLen) * ESCAPED_BYTE_BYTES
        : Number.POSITIVE_INFINITY;
    default:
      return NUMBER_BYTES;
  }
}

const longest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length)) * CODE_POINT_BYTES;

type TextRules = Extract<FieldRules["type"], { case: "string" }>["value"];

// Each rule alone is a bound.
function bytesOfText(rules: TextRules): number {
  const { field } = StringRulesSchema;
  const has = (rule: DescField): boolean => isFieldSet(rules, rule);
  return Math.min(
    ...(has(field.maxLen) ? [Number(rules.maxLen) * CODE_POINT_BYTES] : []),
    ...(has(field.len) ? [Number(rules.len) * CODE_POINT_BYTES] : []),
    ...(has(field.maxBytes) ? [Number(rules.maxBytes) * ESCAPED_BYTE_BYTES] : []),
    ...(has(field.lenBytes) ? [Number(rules.lenBytes) * ESCAPED_BYTE_BYTES] : []),
    ...(has(field.const) ? [longest([rules.const])] : []),
    ...(rules.in.length > 0 ? [longest(rules.in)] : []),
    ...(rules.wellKnown.case === "uuid" ? [longest(["00000000-0000-0000-0000-000000000000"])] : []),
    Number.POSITIVE_INFINITY,
  );
}

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
