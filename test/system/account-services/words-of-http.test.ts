// HTTP requests that the account services do not accept, and the responses to them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { ownHeaders } from "../matrix/seen.ts";
import { CLIENTS, rest } from "./clients.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { A_TIME, REQUEST_ID } from "./responses.ts";

const BYTES_MAX = 4096;

let gateway: Gateway;
let session: Headers;
beforeAll(async () => {
  gateway = await startGateway();
  session = await new Person(placeOf(gateway), rest).begin("ada@example.com");
});
afterAll(() => gateway.close());

const refused = (reason: string, code: string, message: string, ...details: readonly object[]): unknown => ({
  data: null,
  meta: { timestamp: A_TIME, request_id: REQUEST_ID },
  status: "error",
  message,
  success: false,
  error: {
    reason,
    code,
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "quintet.example" }, ...details],
  },
});

const badField = (field: string, description: string): unknown =>
  refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", `${field} ${description}`, {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    field_violations: [{ field, description }],
  });

const send = (method: string, path: string, headers: Headers = {}, body?: string): Promise<Response> => {
  gateway.clock.advance(100);
  const sent = { method, headers: { "x-request-id": REQUEST_ID, ...session, ...headers }, ...(body !== undefined && { body }) };
  return fetch(`${gateway.origin}${path}`, sent);
};
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

describe("typos get a suggestion:", () => {
  test.each([
    ["GET", "/account/v1/plans?servce=radio", undefined, "servce", 'is an unknown parameter; did you mean "service"?'],
    ["GET", "/account/v1/usage?groupby=day", undefined, "groupby", 'is an unknown parameter; did you mean "group_by"?'],
    ["GET", "/account/v1/account?id=1", undefined, "id", "is an unknown parameter; there are no parameters"],
    ["POST", "/account/v1/keys", { nam: "table" }, "nam", 'is an unknown field; did you mean "name"?'],
    [
      "PATCH",
      "/account/v1/keys/00000000-0000-4000-8000-000000000000",
      { disable: true },
      "disable",
      'is an unknown field; did you mean "disabled"?',
    ],
    ["POST", "/account/v1/sign-in", { mail: "ada@example.com" }, "mail", 'is an unknown field; did you mean "email"?'],
  ])("%s %s %o", async (method, path, body, field, description) => {
    const response = await (body === undefined ? send(method, path) : send(method, path, JSON_TYPE, JSON.stringify(body)));
    expect([response.status, await response.json()]).toEqual([400, badField(field, description)]);
  });
});

test("a password that is not text is not echoed", async () => {
  const response = await send("POST", "/account/v1/sign-in", JSON_TYPE, '{"email":"ada@example.com","password":271828182845}');
  expect([response.status, await response.json()]).toEqual([400, badField("password", "must be a string")]);
});

test.each(["sign-in", "sign-up", "change-password"])(
  "the input of %s is not read from the URL, which proxies log",
  async (name) => {
    const field = name === "change-password" ? "current_password" : "password";
    const response = await send("POST", `/account/v1/${name}?${field}=four+loaded+dice`, JSON_TYPE, "{}");
    expect([response.status, await response.json()]).toEqual([400, badField(field, "must be in the body")]);
  },
);

describe("the response to a method that a path does not accept lists those that it does:", () => {
  test.each([
    ["GET", "/account/v1/sign-in", "POST"],
    ["HEAD", "/account/v1/sign-up", "POST"],
    ["PUT", "/account/v1/keys", "GET, HEAD, POST"],
    ["PUT", "/account/v1/keys/00000000-0000-4000-8000-000000000000", "DELETE, PATCH"],
    ["POST", "/account/v1/account", "GET, HEAD, PATCH"],
    ["GET", "/account/v1/keys/00000000-0000-4000-8000-000000000000/rotate", "POST"],
  ])("%s %s", async (method, path, allow) => {
    const response = await send(method, path);
    const text = await response.text();
    const body = refused("METHOD_NOT_ALLOWED", "UNIMPLEMENTED", `This path accepts ${allow}, not ${method}.`);
    const seen = {
      status: response.status,
      allow: response.headers.get("allow"),
      body: method === "HEAD" ? text : JSON.parse(text),
    };
    expect(seen).toEqual({ status: 405, allow, body: method === "HEAD" ? "" : body });
  });

  test.each(["SignIn", "SignUp"])("Connect's GET of %s, which has side effects", async (name) => {
    const path = `/quintet.account.v1.SignInService/${name}`;
    const response = await send("GET", `${path}?connect=v1&encoding=json&message=%7B%7D`);
    const seen = [response.status, response.headers.get("allow"), ((await response.json()) as { message: string }).message];
    expect(seen).toEqual([405, "POST", `${path.slice(1)} accepts POST, not GET.`]);
  });
});

test("HEAD gets the response of GET without the body", async () => {
  const [head, get] = [await send("HEAD", "/account/v1/account"), await send("GET", "/account/v1/account")];
  const lengthOf = ({ headers }: Response): unknown => headers.get("content-length");
  expect([head.status, ownHeaders(head.headers), lengthOf(head)]).toEqual([200, ownHeaders(get.headers), lengthOf(get)]);
  expect(await head.text()).toBe("");
});

test("a form is read as a form", async () => {
  const response = await send(
    "POST",
    "/account/v1/sign-in",
    FORM_TYPE,
    String(new URLSearchParams({ email: "ada@example.com", password: PASSWORD })),
  );
  expect([response.status, await response.json()]).toMatchObject([200, { message: "Signed in" }]);
});

test("anything other than a form or JSON is refused", async () => {
  const response = await send("POST", "/account/v1/sign-in", { "content-type": "text/plain" }, "{}");
  const message = "The body must be application/json or application/x-www-form-urlencoded; set content-type to one of them.";
  expect([response.status, await response.json()]).toEqual([415, refused("UNSUPPORTED_MEDIA_TYPE", "INVALID_ARGUMENT", message)]);
});

test.each(CLIENTS)("a body that is too large is refused by $name", async (client) => {
  const person = new Person(placeOf(gateway), client);
  const message = "The body is longer than 4 KiB.";
  const code = client === rest ? "RESOURCE_EXHAUSTED" : "resource_exhausted";
  const said = client === rest ? { body: { message } } : { message };
  for (const method of [METHODS.signIn, METHODS.signUp, METHODS.createKey]) {
    const input = method === METHODS.createKey ? { name: "x".repeat(BYTES_MAX) } : { email: "x".repeat(BYTES_MAX) };
    expect(await person.call(method, input, session)).toMatchObject({ code, ...said });
  }
});
