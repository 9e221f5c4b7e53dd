// What a program needs to know about a REST call.
import { credentialHeader, DRY_RUN_HEADER, restCall, type SnippetCall, secretVariable } from "./snippet.ts";

/** A header's name and value. */
export type Header = readonly [name: string, value: string];

/** The parts of a call. */
export interface ProgramParts {
  readonly url: string;
  readonly verb: string;
  /** JSON. */
  readonly body: string | undefined;
  /** The header that identifies the caller; its value is the part before the secret. */
  readonly header: Header | undefined;
  readonly plainHeaders: readonly Header[];
  /** The environment variable with the secret. */
  readonly variable: string;
  readonly isStream: boolean;
}

export function programPartsOf(call: SnippetCall): ProgramParts {
  const { verb, target, body } = restCall(call);
  return {
    url: `${call.server}${target}`,
    verb,
    body,
    header: credentialHeader(call.credential),
    plainHeaders: [
      ...(call.isDryRun ? [DRY_RUN_HEADER] : []),
      ...(body === undefined ? [] : [["content-type", "application/json"] as const]),
    ],
    variable: secretVariable(call.credential),
    isStream: call.isStream,
  };
}

/** Joins the lines, leaving out those that a call does not need. */
export const linesOf = (lines: readonly (string | false | undefined)[]): string =>
  lines.filter((line) => line !== false && line !== undefined && line !== "").join("\n");
