// What plain REST answers, without a client: what a generated one has to return.
import { ask } from "../../../fixtures/openapi-document.ts";
import type { ClientOperation } from "./operations.ts";

/** Calls an operation with its example request. Of a stream it is the first message. Throws if the call is not answered with 200. */
export async function restResult(
  origin: string,
  { verb, path, input, hasBody }: ClientOperation,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const query = hasBody ? "" : `?${new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]))}`;
  const body = hasBody ? { body: JSON.stringify(input) } : {};
  const { status, body: response } = await ask(`${origin}${path}${query}`, {
    method: verb.toUpperCase(),
    headers: { ...headers, ...(hasBody && { "content-type": "application/json" }) },
    ...body,
  });
  if (status !== 200) {
    throw new Error(`${path} answers ${status}: ${response.message}`);
  }
  return response;
}
