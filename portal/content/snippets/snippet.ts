// A call of one operation as a developer would write it: the same input in each language and protocol. The tests run them.

export interface SnippetCall {
  /** Upper case. */
  readonly verb: string;
  /** `/account/v1/keys/{key_id}`: names in braces are fields of the input. */
  readonly restPath: string;
  /** `quintet.radio.v1.RadioService/SearchStations` */
  readonly rpc: string;
  /** The input, in snake_case. */
  readonly input: Readonly<Record<string, unknown>>;
  /** How the caller is identified: by an API key for the data services, by a session for the account, not at all for signing in. */
  readonly credential: "key" | "session" | "none";
  readonly isStream: boolean;
  readonly isDryRun: boolean;
  /** The server's origin: `http://127.0.0.1:8080`. */
  readonly server: string;
}

/** One way to write a call. */
export interface Snippet {
  /** `curl`, `TypeScript` … */
  readonly title: string;
  /** How the code is coloured. */
  readonly language: "bash" | "csharp" | "go" | "java" | "php" | "python" | "rust" | "typescript";
  readonly code: string;
}

/** The server in the snippets of the reference. The pages put their own origin in its place. */
export const SNIPPET_SERVER = "http://127.0.0.1:8080";

/** A REST call as it is sent. */
export interface RestCall {
  /** Upper case. */
  readonly verb: string;
  /** Path and query. */
  readonly target: string;
  /** JSON. */
  readonly body: string | undefined;
}

/**
 * How REST is called. If a query cannot contain the input of a GET, it becomes a POST to the same path, which every method with a list
 * also accepts.
 */
export function restCall({ verb, restPath, input }: Pick<SnippetCall, "verb" | "restPath" | "input">): RestCall {
  const rest = new Map(Object.entries(input));
  const path = restPath.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? "");
    rest.delete(name);
    return encodeURIComponent(value);
  });
  if (verb !== "GET" || fieldsForBody(input).length > 0) {
    return { verb: verb === "GET" ? "POST" : verb, target: path, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = [...rest].map(([name, value]) => `${name}=${queryValue(value)}`).join("&");
  return { verb, target: query === "" ? path : `${path}?${query}`, body: undefined };
}

/** The fields that only a body can contain: objects, and lists of strings that contain commas, because a query is split at commas. */
export const fieldsForBody = (input: SnippetCall["input"]): readonly string[] =>
  Object.entries(input)
    .filter(([, value]) =>
      Array.isArray(value) ? value.some((one) => isObject(one) || String(one).includes(",")) : isObject(value),
    )
    .map(([name]) => name);

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

// Colons and commas stay readable; a query may contain them (RFC 3986, section 3.4).
const queryValue = (value: unknown): string =>
  encodeURIComponent(Array.isArray(value) ? value.join(",") : String(value))
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",");

/** The header that identifies the caller: its name, and the part of its value before the secret. */
export const credentialHeader = (credential: SnippetCall["credential"]): readonly [name: string, before: string] | undefined =>
  ({ key: ["x-gateway-key", ""] as const, session: ["authorization", "Bearer "] as const, none: undefined })[credential];

export const DRY_RUN_HEADER = ["x-quintet-dry-run", "true"] as const;

/** The environment variable that the snippets take the secret from. */
export const secretVariable = (credential: SnippetCall["credential"]): string => (credential === "session" ? "TOKEN" : "KEY");
