// Sends the call of a sample over REST. Reads only a bounded part of the response, however much the server sends.

/** The call, as the page has it. */
export interface Sample {
  /** Upper case. */
  readonly verb: string;
  /** Path and query. */
  readonly target: string;
  /** JSON; undefined without a body. */
  readonly body: string | undefined;
  /** Only the first message of a stream is read. */
  readonly isStream: boolean;
}

export interface SampleResponse {
  readonly status: number;
  /** How long it took until the last byte that was read. */
  readonly ms: number;
  /** Indented if it is JSON. */
  readonly text: string;
  /** Whether the response is longer than what is kept. */
  readonly isCut: boolean;
  /** The error's reason; undefined if it has none. */
  readonly reason: string | undefined;
}

interface CallSampleOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/** How much of a response is kept. */
export const CHARACTERS_MAX = 100_000;

/** Calls with this key, or without one. Rejects if the server cannot be reached, or `signal` aborts the call. */
export async function callSample(
  { verb, target, body, isStream }: Sample,
  key: string | undefined,
  { fetch, nowMs, signal }: CallSampleOptions,
): Promise<SampleResponse> {
  const beginMs = nowMs();
  const response = await fetch(target, {
    method: verb,
    headers: {
      ...(key !== undefined && { "x-gateway-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
    // The key says who is calling, so the session's cookie is not sent.
    credentials: "omit",
    signal,
  });
  const { text, isCut } = await textOf(response, (read) => isStream && response.ok && read.includes("\n"));
  const json = parsed(isStream && response.ok ? text.slice(0, text.indexOf("\n")) : text);
  return {
    status: response.status,
    ms: nowMs() - beginMs,
    text: json === undefined ? text : JSON.stringify(json, undefined, 2),
    isCut,
    reason: (json as { readonly error?: { readonly reason?: string } } | undefined)?.error?.reason,
  };
}

async function textOf({ body }: Response, isSufficient: (text: string) => boolean): Promise<{ text: string; isCut: boolean }> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    text += read.value;
    if (text.length > CHARACTERS_MAX || isSufficient(text)) {
      await reader?.cancel();
      break;
    }
  }
  return { text: text.slice(0, CHARACTERS_MAX), isCut: text.length > CHARACTERS_MAX };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
