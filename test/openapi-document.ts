// The published OpenAPI document, and what it says of an answer.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Schema, schemaFaults } from "./json-schema.ts";

/** A documented parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  /** Whether it may be there and empty, which is as good as not there. */
  readonly allowEmptyValue?: boolean;
  /** Where the operation's example of a request has it. */
  readonly example?: unknown;
  readonly schema: Schema & { readonly type: string; readonly items?: Schema; readonly default?: unknown };
}

/** A documented answer, or a reference to one. */
export interface Documented {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, unknown>> }>>;
}

/** A documented operation. */
export interface Operation {
  readonly operationId: string;
  readonly description: string;
  /** What it needs, where that is not what all need. */
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Documented>>;
}

/** An answer. */
export interface Answered {
  readonly status: number;
  readonly body: {
    readonly data: unknown;
    readonly meta?: unknown;
    readonly message: string;
    readonly error?: { readonly details: readonly { readonly field_violations?: readonly Violation[] }[] };
  };
}

interface Violation {
  readonly field: string;
  readonly description: string;
}

/** The document. */
export const DOCUMENT = JSON.parse(readFileSync(join(import.meta.dirname, "..", "gen", "openapi.json"), "utf8"));

/** The schemas that it names. */
export const SCHEMAS: Readonly<Record<string, Schema>> = DOCUMENT.components.schemas;

const OPERATIONS = Object.entries<Readonly<Record<string, Operation>>>(DOCUMENT.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
);

/** Path → verb → operation, for the data services. */
export const DATA_PATHS: Readonly<Record<string, Readonly<Record<"get" | "post", Operation>>>> = Object.fromEntries(
  OPERATIONS.filter(({ operation }) => operation.security === undefined).map(({ path }) => [path, DOCUMENT.paths[path]]),
);

/** Each of their paths with its operations. */
export const DATA_OPERATIONS = Object.entries(DATA_PATHS).map(([path, operations]) => ({ path, ...operations }));

/** The operations of the account services. */
export const ACCOUNT_OPERATIONS = OPERATIONS.filter(({ operation }) => operation.security !== undefined);

/** The answer that is documented for a status; of one that is not, nothing. */
export function documentedAnswer({ responses }: Operation, status: number | string): Documented {
  const answer = responses[status] ?? {};
  return answer.$ref === undefined ? answer : DOCUMENT.components.responses[answer.$ref.replace("#/components/responses/", "")];
}

/** What is wrong with an answer, going by its operation: nothing, when it is as documented. */
export function responseFaults(operation: Operation, { status, body }: Answered): readonly string[] {
  const [{ schema } = {}] = Object.values<{ schema?: Schema }>(documentedAnswer(operation, status).content ?? {});
  return schema === undefined ? [`${status} is not documented`] : schemaFaults(schema, body, "answer", SCHEMAS);
}

/** Calls. Of a stream it is the first message that counts. */
export async function ask(url: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(url, init);
  const isStream = response.headers.get("content-type") === "application/x-ndjson";
  const body = isStream ? await firstMessage(response) : await response.json();
  return { status: response.status, body: body as Answered["body"] };
}

async function firstMessage({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) {
      break;
    }
  }
  return JSON.parse(text.slice(0, text.indexOf("\n")));
}
