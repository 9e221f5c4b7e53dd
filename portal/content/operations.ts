// Every operation, with all the content of its page: REST and RPC side by side, parameters, response, errors, and a recorded call.
import {
  messageTable,
  type ParameterText,
  parametersOf,
  parametersTable,
  responseTable,
  rpcOf,
} from "../../scripts/docs/reference.ts";
import { type RecordedCall, recordedCall } from "../../scripts/openapi/recorded-calls.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import { type OpenApiOperation, openApi } from "./openapi.ts";

/** A page of the reference. */
export interface OperationPage {
  /** Its path: `/reference/radio/search-stations`. */
  readonly path: string;
  /** The service's tag: `Radio`. */
  readonly tag: string;
  readonly operationId: string;
  /** The method's name in RPC: `SearchStations`. */
  readonly name: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Upper case. */
  readonly verb: string;
  /** `/radio/v1/search` */
  readonly restPath: string;
  /** `quintet.radio.v1.RadioService/SearchStations` */
  readonly rpc: string;
  /** The parameters one by one. */
  readonly inputs: readonly ParameterText[];
  /** Markdown tables. */
  readonly parameters: string;
  readonly response: string;
  readonly messages: readonly { readonly name: string; readonly table: string }[];
  readonly errors: readonly OperationError[];
  /** The request and the response that were recorded. */
  readonly recorded: RecordedCall;
  /** Whether the response is a stream of messages. */
  readonly isStream: boolean;
}

export interface OperationError {
  readonly status: number;
  readonly reason: Reason;
  /** When a call fails with it. Markdown. */
  readonly meaning: string;
}

/** `RadioService_SearchStations` → `radio/search-stations`. */
const slugOf = (operationId: string): string => {
  const [service = "", method = ""] = operationId.replace("Service_", "_").split("_");
  const dashed = (name: string): string => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
  return `${dashed(service)}/${dashed(method)}`;
};

// The messages that the tables link to, directly or through the tables of other messages.
function messagesOf(tables: readonly string[]): readonly { readonly name: string; readonly table: string }[] {
  const found = new Map<string, string>();
  const queue = [...tables];
  for (let at = 0; at < queue.length; at++) {
    for (const [, name = ""] of queue[at]?.matchAll(/\[(\w+)\]\(#\w+\)/g) ?? []) {
      if (!found.has(name)) {
        const table = messageTable(name);
        found.set(name, table);
        queue.push(table);
      }
    }
  }
  return [...found].map(([name, table]) => ({ name, table }));
}

function errorsOf({ responses }: OpenApiOperation): readonly OperationError[] {
  return Object.entries(responses)
    .filter(([status]) => status !== "200")
    .flatMap(([, response]) => {
      const whole = response.$ref === undefined ? response : openApi.components.responses[response.$ref.split("/").at(-1) ?? ""];
      const examples = whole?.content?.["application/json"]?.examples ?? {};
      return (Object.keys(examples) as Reason[]).map((reason) => ({
        ...{ status: REASONS[reason].httpStatus, reason },
        // The examples of the OpenAPI document are the same for all services.
        meaning: REASONS[reason].when,
      }));
    });
}

function pageOf(verb: string, restPath: string, operation: OpenApiOperation): OperationPage {
  const { operationId, summary, description, tags, responses } = operation;
  const method = operationId.replace("_", "/");
  const parameters = parametersTable(method);
  const response = responseTable(method);
  const recorded = recordedCall(operationId);
  if (recorded === undefined) {
    throw new Error(`${operationId} has no recorded call`);
  }
  return {
    path: `/reference/${slugOf(operationId)}`,
    tag: tags[0] ?? "",
    name: operationId.split("_")[1] ?? operationId,
    operationId,
    summary,
    description,
    verb: verb.toUpperCase(),
    restPath,
    rpc: rpcOf(operationId),
    inputs: parametersOf(method),
    parameters,
    response,
    messages: messagesOf([parameters, response]),
    errors: errorsOf(operation),
    recorded,
    isStream: "application/x-ndjson" in (responses["200"]?.content ?? {}),
  };
}

/** All operations, in the order of the OpenAPI document. A variant that accepts the same input in a body has no page of its own. */
export const OPERATIONS: readonly OperationPage[] = Object.entries(openApi.paths).flatMap(([restPath, verbs]) =>
  Object.entries(verbs)
    .filter(([verb, { operationId }]) => !operationId.endsWith(`_${verb}`))
    .map(([verb, operation]) => pageOf(verb, restPath, operation)),
);
