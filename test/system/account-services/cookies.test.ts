// The session as a cookie: pages of this server can get one, and pages of other origins can neither use it nor have it set.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, rest } from "./clients.ts";
import { bearing, type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { A_TIME, AN_ID, type Expected, failed, OF_ACCOUNT, SETTINGS, succeeded, TO_PAGE } from "./responses.ts";

const EMAIL = "ada@example.com";
const ATTRIBUTES = "Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax";
const ENDED = "quintet_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax";
const ACCOUNT = {
  id: AN_ID,
  name: expect.stringMatching(/^ada-[0-9a-f]{8}$/),
  email: EMAIL,
  suspended: false,
  created_at: A_TIME,
};
const REFUSED: Expected = {
  reason: "ORIGIN_REFUSED",
  message:
    "Only this server's own pages may use the session's cookie. Send the session's token as authorization: Bearer TOKEN instead.",
};
const OVER: Expected = { reason: "SESSION_INVALID", message: "The session is not known or has ended. Sign in again." };

let gateway: Gateway;
let token: string;
beforeAll(async () => {
  gateway = await startGateway();
  const session = await new Person(placeOf(gateway), rest).begin(EMAIL);
  token = (session.authorization ?? "").replace("Bearer ", "");
});
afterAll(() => gateway.close());

const cookieOf = (value: string): Headers => ({ cookie: `theme=dark; quintet_session=${value}` });
const securely = (origin: string): string => origin.replace("http:", "https:");

// What browsers send about a page, given the gateway's own origin.
type Page = readonly [name: string, headers: (origin: string) => Headers];

const OWN_PAGES: readonly Page[] = [
  ["that sends its origin", (origin) => ({ origin })],
  ["that sends both", (origin) => ({ origin, "sec-fetch-site": "same-origin" })],
  ["that was opened by hand", () => ({ "sec-fetch-site": "none" })],
  ["behind a proxy that terminates TLS", (origin) => ({ origin: securely(origin) })],
];

const FOREIGN_PAGES: readonly Page[] = [
  ["of another host", () => ({ origin: "https://page.example" })],
  ["of another port", () => ({ origin: "http://127.0.0.1:1" })],
  ["of another name of this host", (origin) => ({ origin: origin.replace("127.0.0.1", "localhost") })],
  ["without an origin", () => ({ origin: "null" })],
  ["of another site that sends no origin", () => ({ "sec-fetch-site": "cross-site" })],
  ["of a sibling site that sends no origin", () => ({ "sec-fetch-site": "same-site" })],
  ["of another site that sends our origin", (origin) => ({ origin, "sec-fetch-site": "cross-site" })],
];

const responseHeaders = (page: Headers, more: object = {}): object => ({
  ...OF_ACCOUNT,
  ...("origin" in page && TO_PAGE),
  ...more,
});

describe.each(CLIENTS)("by $name", (client) => {
  const person = (): Person => new Person(placeOf(gateway), client);

  test.each(OWN_PAGES)("a page of ours %s may use the cookie", async (_, pageOf) => {
    const page = pageOf(gateway.origin);
    await person().get(
      METHODS.getAccount,
      {},
      { account: ACCOUNT, settings: SETTINGS },
      { ...page, ...cookieOf(token) },
      responseHeaders(page),
    );
  });

  test.each(FOREIGN_PAGES)("a page %s may not use the cookie for any call, but may use the token", async (_, pageOf) => {
    const page = pageOf(gateway.origin);
    for (const method of [METHODS.getAccount, METHODS.listKeys, METHODS.createKey, METHODS.endSessions]) {
      const seen = await person().call(method, {}, { ...page, ...cookieOf(token) });
      expect(seen).toEqual(failed(client, REFUSED, responseHeaders(page)));
    }
    const headers = { ...page, ...cookieOf("nobody's"), ...bearing(token) };
    await person().get(METHODS.getAccount, {}, { account: ACCOUNT, settings: SETTINGS }, headers, responseHeaders(page));
  });

  test.each(FOREIGN_PAGES)("a page %s gets no cookie, and starts no session", async (_, pageOf) => {
    const page = pageOf(gateway.origin);
    const wish = { email: `${client.protocol}@example.com`, password: PASSWORD, use_cookie: true };
    for (const method of [METHODS.signUp, METHODS.signIn]) {
      expect(await person().call(method, wish, page)).toEqual(failed(client, REFUSED, responseHeaders(page)));
    }
  });

  test("a caller who asks for the cookie gets it instead of the token, uses it, and loses it on signing out", async () => {
    const page = { origin: gateway.origin };
    const output = { session: { expires_at: A_TIME, account: ACCOUNT } };
    const wish = { email: EMAIL, password: PASSWORD, use_cookie: true };
    const seen = await person().call(METHODS.signIn, wish, page);
    const shape = expect.stringMatching(new RegExp(`^quintet_session=\\w{32}; ${ATTRIBUTES}$`));
    expect(seen).toEqual(succeeded(client, METHODS.signIn, output, responseHeaders(page, { "set-cookie": shape })));
    const [cookie = ""] = (seen.headers["set-cookie"] ?? "").split(";");
    await person().get(
      METHODS.getAccount,
      {},
      { account: ACCOUNT, settings: SETTINGS },
      { ...page, cookie },
      responseHeaders(page),
    );
    await person().get(
      METHODS.endSessions,
      { current: true },
      { count: 1 },
      { ...page, cookie },
      responseHeaders(page, { "set-cookie": ENDED }),
    );
    expect(await person().call(METHODS.getAccount, {}, { ...page, cookie })).toEqual(failed(client, OVER, responseHeaders(page)));
  });

  test("behind a proxy that terminates TLS it is only for secure connections", async () => {
    const page = { origin: securely(gateway.origin) };
    const { headers } = await person().call(METHODS.signIn, { email: EMAIL, password: PASSWORD, use_cookie: true }, page);
    const shape = new RegExp(`^__Host-quintet_session=\\w{32}; ${ATTRIBUTES}; Secure$`);
    expect(headers["set-cookie"]).toMatch(shape);
    const [cookie = ""] = (headers["set-cookie"] ?? "").split(";");
    const ended = `__Host-${ENDED}; Secure`;
    await person().get(
      METHODS.endSessions,
      { current: true },
      { count: 1 },
      { ...page, cookie },
      responseHeaders(page, { "set-cookie": ended }),
    );
  });
});

test("none of those requests has created an account", async () => {
  const person = new Person(placeOf(gateway), rest);
  const message = "The e-mail address or the password is wrong. Check both, and try again.";
  for (const protocol of new Set(CLIENTS.map((client) => client.protocol))) {
    const wish = { email: `${protocol}@example.com`, password: PASSWORD };
    await person.fail(METHODS.signIn, wish, { reason: "SIGN_IN_FAILED", message });
  }
});

test("a foreign page's form, which a browser sends without a preflight, starts no session with a cookie", async () => {
  const response = await fetch(`${gateway.origin}/account/v1/sign-in`, {
    method: "POST",
    headers: { origin: "https://page.example", "content-type": "application/x-www-form-urlencoded" },
    body: String(new URLSearchParams({ email: EMAIL, password: PASSWORD, use_cookie: "true" })),
  });
  const { error } = (await response.json()) as { error: { reason: string } };
  expect([response.status, error.reason, response.headers.get("set-cookie")]).toEqual([403, "ORIGIN_REFUSED", null]);
});

test("the preflight of a foreign page allows a token and changing a key, but no cookie", async () => {
  const headers = {
    origin: "https://page.example",
    "access-control-request-method": "PATCH",
    "access-control-request-headers": "authorization,content-type",
  };
  const path = "/account/v1/keys/00000000-0000-4000-8000-000000000000";
  const response = await fetch(`${gateway.origin}${path}`, { method: "OPTIONS", headers });
  const listOf = (name: string): readonly string[] => (response.headers.get(name) ?? "").toLowerCase().split(", ");
  expect({
    status: response.status,
    origin: response.headers.get("access-control-allow-origin"),
    credentials: response.headers.get("access-control-allow-credentials"),
    methods: listOf("access-control-allow-methods"),
    headers: listOf("access-control-allow-headers"),
  }).toEqual({
    status: 204,
    origin: "*",
    credentials: null,
    methods: expect.arrayContaining(["patch"]),
    headers: expect.arrayContaining(["authorization", "content-type"]),
  });
});
