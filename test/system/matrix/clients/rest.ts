// REST with fetch, and with node:http for a GET with a body, which fetch does not send.
import { request } from "node:http";
import { type Call, type Client, headersOf } from "../client.ts";
import { ownHeaders, type Seen } from "../seen.ts";

const pathOf = ({ method }: Call): string => (method === "Score" ? "/farkle/v1/score" : "/farkle/v1/nope");

function seenOf(status: number, headers: Iterable<readonly [string, string]>, text: string): Seen {
  const body = JSON.parse(text);
  return { status, code: body.success ? "ok" : body.error.code, headers: ownHeaders(headers), body };
}

async function byFetch(url: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(url, init);
  return seenOf(response.status, response.headers, await response.text());
}

const base = { protocol: "rest", showsStatus: true } as const;

/** GET with the input in the query. */
export const restGet: Client = {
  ...base,
  name: "REST GET",
  inUrl: true,
  call: (call) => byFetch(`${call.gateway.origin}${pathOf(call)}?dice=${call.dice.join()}`, { headers: headersOf(call) }),
};

/** POST with a JSON body. */
export const restPost: Client = {
  ...base,
  name: "REST POST",
  inUrl: false,
  call: (call) =>
    byFetch(`${call.gateway.origin}${pathOf(call)}`, {
      method: "POST",
      headers: { ...headersOf(call), "content-type": "application/json" },
      body: JSON.stringify({ dice: call.dice }),
    }),
};

/** GET with a form in the body. */
export const restGetWithBody: Client = {
  ...base,
  name: "REST GET with body",
  inUrl: false,
  async call(call) {
    const body = `dice=${call.dice.join()}`;
    const headers = {
      ...headersOf(call),
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
    };
    const { promise, resolve, reject } = Promise.withResolvers<Seen>();
    const sent = request(`${call.gateway.origin}${pathOf(call)}`, { method: "GET", headers, agent: false }, async (response) => {
      try {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        resolve(seenOf(response.statusCode ?? 0, Object.entries(response.headers) as [string, string][], text));
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
    // If the server dies right after its response, nobody else hears of it.
    sent.on("socket", (socket) => socket.on("error", reject));
    sent.end(body);
    return promise;
  },
};
