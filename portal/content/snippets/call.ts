// The recorded call of an operation, as the snippets write it.
import type { OperationPage } from "../operations.ts";
import { SNIPPET_SERVER, type SnippetCall } from "./snippet.ts";

const CREDENTIALS: Readonly<Record<string, SnippetCall["credential"]>> = { SignIn: "none", Account: "session" };

// Anybody may call these.
const PUBLIC_OPERATIONS: ReadonlySet<string> = new Set(["AccountService_ListPlans", "AccountService_GetStatus"]);

/** The call of an operation, with its recorded input. */
export function callOf({ verb, restPath, rpc, tag, operationId, recorded, isStream }: OperationPage): SnippetCall {
  const credential = PUBLIC_OPERATIONS.has(operationId) ? "none" : (CREDENTIALS[tag] ?? "key");
  return { verb, restPath, rpc, input: recorded.request, credential, isStream, isDryRun: false, server: SNIPPET_SERVER };
}
