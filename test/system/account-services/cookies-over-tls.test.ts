// The session's cookie when the server itself terminates TLS.
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { type Headers, PASSWORD } from "./person.ts";

const file = (name: string): string => join(import.meta.dirname, "../../../packages/http/test/certificates", name);
const ca = readFileSync(file("authority.pem"));

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ variables: { QUINTET_TLS_CERT: file("server.pem"), QUINTET_TLS_KEY: file("server.key") } });
});
afterAll(() => gateway.close());

interface ReceivedResponse {
  readonly status: number | undefined;
  readonly cookies: readonly string[];
  readonly reason: string;
}

function send(method: string, path: string, headers: Headers, body?: object): Promise<ReceivedResponse> {
  gateway.clock.advance(100);
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: gateway.port, servername: "localhost", ca, agent: false };
    const sent = request({
      ...options,
      method,
      path: `/account/v1/${path}`,
      headers: { ...headers, "content-type": "application/json" },
    });
    sent.on("error", reject).on("response", async (response) => {
      const { error } = JSON.parse(await text(response)) as { error?: { reason: string } };
      resolve({ status: response.statusCode, cookies: response.headers["set-cookie"] ?? [], reason: error?.reason ?? "OK" });
    });
    sent.end(body && JSON.stringify(body));
  });
}

test("is only for secure connections, and is accepted neither under another name nor from a page without TLS", async () => {
  const wish = { email: "ada@example.com", password: PASSWORD, use_cookie: true };
  const started = await send("POST", "sign-up", {}, wish);
  const shape = /^__Host-quintet_session=\w{32}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure$/;
  expect(started).toEqual({ status: 200, cookies: [expect.stringMatching(shape)], reason: "OK" });
  const [cookie = ""] = (started.cookies[0] ?? "").split(";");
  const host = `127.0.0.1:${gateway.port}`;
  const reasonOf = async (headers: Headers): Promise<string> => (await send("GET", "account", headers)).reason;
  expect({
    alone: await reasonOf({ cookie }),
    ownPage: await reasonOf({ cookie, origin: `https://${host}` }),
    pageWithoutTls: await reasonOf({ cookie, origin: `http://${host}` }),
    foreignPage: await reasonOf({ cookie, origin: "https://page.example" }),
    otherName: await reasonOf({ cookie: cookie.replace("__Host-", "") }),
    twice: await reasonOf({ cookie: `${cookie}; ${cookie}` }),
  }).toEqual({
    alone: "OK",
    ownPage: "OK",
    pageWithoutTls: "ORIGIN_REFUSED",
    foreignPage: "ORIGIN_REFUSED",
    otherName: "SESSION_MISSING",
    twice: "SESSION_INVALID",
  });
  const ended = "__Host-quintet_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure";
  expect(await send("POST", "sessions/end", { cookie }, { current: true })).toEqual({
    status: 200,
    cookies: [ended],
    reason: "OK",
  });
  expect(await reasonOf({ cookie })).toBe("SESSION_INVALID");
});
