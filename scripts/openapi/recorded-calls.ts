// A call of each method, as test/system/openapi-examples.test.ts makes it to the sandbox, and its whole response.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Schema } from "./json-schema.ts";

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

/** A method's example of a request body, without the fields `inPath`, for a media type. */
export function bodyExample(method: DescMethod, inPath: readonly string[]): Schema {
  const call = recordedCallOf(method);
  return call === undefined ? {} : { example: omit(call.request, inPath) };
}

/** A method's example of a response, for a media type. */
export function responseExample(method: DescMethod): Schema {
  const call = recordedCallOf(method);
  return call === undefined ? {} : { example: shortened(call.response) };
}

const omit = (request: RecordedCall["request"], names: readonly string[]): Schema =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !names.includes(name)));
