// The call that a form's snippets make.
import type { JsonObject } from "@bufbuild/protobuf";
import type { SnippetCall } from "../../content/snippets/snippet.ts";
import type { ConsoleMethod } from "./contract/contract.ts";

/** Makes that call. `input` is the form's message, `server` an origin. */
export const snippetCall = (
  { restPath, verb, rpc, isStream }: ConsoleMethod,
  input: JsonObject,
  { isDryRun, server }: Pick<SnippetCall, "isDryRun" | "server">,
): SnippetCall => ({ verb, restPath, rpc, input, credential: "key", isStream, isDryRun, server });
