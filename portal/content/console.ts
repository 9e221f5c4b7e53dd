// What the console shows about methods that take a key, in addition to their descriptors: comments, and a sample input.
import { type OpenApiOperation, openApi } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";
import { titleOfTag } from "./services.ts";
import { callOf } from "./snippets/call.ts";

export interface ConsoleMethodText {
  /** `quintet.radio.v1.RadioService/SearchStations` */
  readonly rpc: string;
  /** Upper case. */
  readonly verb: string;
  /** `/radio/v1/search` */
  readonly restPath: string;
  /** Whether REST also takes the input in the body of a POST. */
  readonly takesPost: boolean;
  readonly isStream: boolean;
  /** The end of the method's path in the console and in the reference: `radio/search-stations`. */
  readonly slug: string;
  /** The title of the method's service: `Radio stations`. */
  readonly service: string;
  readonly summary: string;
  /** A field's name → what it means, in Markdown. */
  readonly fields: Readonly<Record<string, string>>;
  /** An input that succeeds, in snake_case. */
  readonly sample: Readonly<Record<string, unknown>>;
}

interface Documented extends OpenApiOperation {
  readonly parameters?: readonly { readonly name: string; readonly description: string }[];
}

const WITH_KEY = OPERATIONS.filter((operation) => callOf(operation).credential === "key");

const slugOf = (path: string): string => path.replace("/reference/", "");

/** A method's slug → how its sample call was answered when it was recorded. */
export const RECORDED_RESPONSES = Object.fromEntries(WITH_KEY.map(({ path, recorded }) => [slugOf(path), recorded.response]));

/** All methods that take a key, in the order of the OpenAPI document. */
export const CONSOLE_METHODS: readonly ConsoleMethodText[] = WITH_KEY.map(
  ({ rpc, path, tag, summary, verb, restPath, isStream, recorded }) => {
    const documented: Documented | undefined = openApi.paths[restPath]?.[verb.toLowerCase()];
    return {
      rpc,
      verb,
      restPath,
      takesPost: "post" in (openApi.paths[restPath] ?? {}),
      isStream,
      slug: slugOf(path),
      service: titleOfTag(tag),
      summary,
      fields: Object.fromEntries(
        (documented?.parameters ?? []).filter(({ name }) => name !== undefined).map(({ name, description }) => [name, description]),
      ),
      sample: recorded.request,
    };
  },
);
