// A call of one operation as somebody would write it: the same input in each language and protocol. The tests run them.

/** What is called. */
export interface SnippetCall {
  /** Upper case. */
  readonly verb: string;
  /** `/account/v1/keys/{key_id}`: names in braces are fields of the input. */
  readonly restPath: string;
  /** `quintet.radio.v1.RadioService/SearchStations` */
  readonly rpc: string;
  /** The input, in snake_case. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What stands in for who calls: an API key for the data services, a session for the account, nothing to sign in. */
  readonly credential: "key" | "session" | "none";
  readonly isStream: boolean;
  /** Whether it only asks what would become of the call. */
  readonly isDryRun: boolean;
  /** Its origin: `http://127.0.0.1:8080`. */
  readonly server: string;
}

/** One way to write a call. */
export interface Snippet {
  /** `curl`, `TypeScript` … */
  readonly title: string;
  /** For its colours. */
  readonly language: "bash" | "go" | "java" | "python" | "typescript";
  readonly code: string;
}

/** The server in the snippets of the reference. The pages put their own address in its place. */
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

/** How REST is called. A GET whose input no query can hold is a POST to the same path, which every such method takes too. */
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

/** The fields that only a body can hold: objects, and lists of texts with commas, at which a query is split. */
export const fieldsForBody = (input: SnippetCall["input"]): readonly string[] =>
  Object.entries(input)
    .filter(([, value]) =>
      Array.isArray(value) ? value.some((one) => isObject(one) || String(one).includes(",")) : isObject(value),
    )
    .map(([name]) => name);

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

// Colons and commas are left readable; a query may hold them (RFC 3986, section 3.4).
const queryValue = (value: unknown): string =>
  encodeURIComponent(Array.isArray(value) ? value.join(",") : String(value))
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",");

/** The header that says who calls: its name, and what stands before the secret in its value. */
export const credentialHeader = (credential: SnippetCall["credential"]): readonly [name: string, before: string] | undefined =>
  ({ key: ["x-gateway-key", ""] as const, session: ["authorization", "Bearer "] as const, none: undefined })[credential];

/** The header of a call that only asks what would become of it. */
export const DRY_RUN_HEADER = ["x-quintet-dry-run", "true"] as const;

/** The environment variable that the snippets take the secret from. */
export const secretVariable = (credential: SnippetCall["credential"]): string => (credential === "session" ? "TOKEN" : "KEY");
