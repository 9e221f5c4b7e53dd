// What plain REST returns, without a client: a generated client has to return the same.
import { fetchJson } from "../../../fixtures/openapi-document.ts";
import type { ClientOperation } from "./operations.ts";

/** Calls an operation with its example request. For a stream, returns the first message. Throws if the status is not 200. */
export async function restResult(
  origin: string,
  { verb, path, input, hasBody }: ClientOperation,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const query = hasBody ? "" : `?${new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]))}`;
  const body = hasBody ? { body: JSON.stringify(input) } : {};
  const { status, body: response } = await fetchJson(`${origin}${path}${query}`, {
    method: verb.toUpperCase(),
    headers: { ...headers, ...(hasBody && { "content-type": "application/json" }) },
    ...body,
  });
  if (status !== 200) {
    throw new Error(`${path} responses ${status}: ${response.message}`);
  }
  return response;
}
