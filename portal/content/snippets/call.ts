// The recorded call of an operation, as the snippets write it.
import type { OperationPage } from "../operations.ts";
import { SNIPPET_SERVER, type SnippetCall } from "./snippet.ts";

const CREDENTIALS: Readonly<Record<string, SnippetCall["credential"]>> = {
  ...{ SignIn: "none", Status: "none", Account: "session", Key: "session", Usage: "session" },
  ...{ Webhook: "session", Member: "session", Profile: "session", Billing: "session" },
};

/** The call of an operation, with its recorded input. */
export function callOf({ verb, restPath, rpc, tag, recorded, isStream }: OperationPage): SnippetCall {
  const credential = CREDENTIALS[tag] ?? "key";
  return { verb, restPath, rpc, input: recorded.request, credential, isStream, isDryRun: false, server: SNIPPET_SERVER };
}
