// A call of each method, as test/system/openapi-examples.test.ts makes it to the sandbox, and its whole response.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";

/** A call that succeeded. */
export interface RecordedCall {
  /** The input, from wherever it was given. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The envelope; for a stream, the first message. */
  readonly response: unknown;
}

const FOLDER = join(import.meta.dirname, "recorded");

const calls = new Map<string, RecordedCall>(
  readdirSync(FOLDER).flatMap((file) =>
    Object.entries<RecordedCall>(JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, RecordedCall>),
  ),
);

/** The name of a method's operation. */
export const operationIdOf = (method: DescMethod): string => `${method.parent.name}_${method.name}`;

/**
 * The call of a method. A new method has none until test/system/openapi-examples.test.ts records it, which requires that it is
 * documented; that test fails if an operation has no example.
 */
export const recordedCallOf = (method: DescMethod): RecordedCall | undefined => recordedCall(operationIdOf(method));

/** The call of an operation, by its name. */
export const recordedCall = (operationId: string): RecordedCall | undefined => calls.get(operationId);

// The elements of a list that an example shows: more would say nothing new.
const ELEMENTS_MAX = 3;

const shortened = (response: unknown): unknown =>
  JSON.parse(JSON.stringify(response), (_, value) => (Array.isArray(value) ? value.slice(0, ELEMENTS_MAX) : value));

/** References to the examples of a request body, and of a response, for `examples`. */
export const bodyExample = (method: DescMethod): Readonly<Record<string, unknown>> => exampleOf(method, "Request");
export const responseExample = (method: DescMethod): Readonly<Record<string, unknown>> => exampleOf(method, "Response");

const exampleOf = (method: DescMethod, part: string): Readonly<Record<string, unknown>> =>
  recordedCallOf(method) === undefined ? {} : { example: { $ref: `#/components/examples/${operationIdOf(method)}${part}` } };

/** The examples that they refer to, for `components.examples`. The fields `inPath` are not in a body. */
export function examplesOf(method: DescMethod, inPath: readonly string[], hasBody: boolean): Readonly<Record<string, unknown>> {
  const call = recordedCallOf(method);
  if (call === undefined) {
    return {};
  }
  const { request, response } = call;
  const body = Object.fromEntries(Object.entries(request).filter(([name]) => !inPath.includes(name)));
  return {
    ...(hasBody && { [`${operationIdOf(method)}Request`]: { value: body } }),
    [`${operationIdOf(method)}Response`]: { value: shortened(response) },
  };
}
