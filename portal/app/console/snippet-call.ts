// What the snippets of a form call.
import type { JsonObject } from "@bufbuild/protobuf";
import type { SnippetCall } from "../../content/snippets/snippet.ts";
import type { ConsoleMethod } from "./contract/contract.ts";

/** It. `input` is the form's message, `server` an origin. */
export const snippetCall = (
  { restPath, rpc, isStream }: ConsoleMethod,
  input: JsonObject,
  { isDryRun, server }: Pick<SnippetCall, "isDryRun" | "server">,
): SnippetCall => ({ verb: "GET", restPath, rpc, input, credential: "key", isStream, isDryRun, server });
