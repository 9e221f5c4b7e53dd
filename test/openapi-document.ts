// The published OpenAPI document, and what it says of an answer.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Schema, schemaFaults } from "./json-schema.ts";

/** A documented parameter. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema & { readonly type: string; readonly items?: Schema; readonly default?: unknown };
}

/** A documented operation. */
export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: unknown; readonly $ref?: string }>>;
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

/** Path → verb → operation. */
export const PATHS: Readonly<Record<string, Readonly<Record<"get" | "post", Operation>>>> = DOCUMENT.paths;

/** The schemas that it names. */
export const SCHEMAS: Readonly<Record<string, Schema>> = DOCUMENT.components.schemas;

/** Each path with its operations. */
export const OPERATIONS = Object.entries(PATHS).map(([path, operations]) => ({ path, ...operations }));
/** What is wrong with an answer, going by its operation: nothing, when it is as documented. */
export function responseFaults({ responses }: Operation, { status, body }: Answered): readonly string[] {
  const { $ref, content } = responses[status] ?? {};
  const response = $ref === undefined ? { content } : DOCUMENT.components.responses[$ref.replace("#/components/responses/", "")];
  const [{ schema } = {}] = Object.values<{ schema?: Schema }>(response.content ?? {});
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
