import type { Exchange } from "@quintet/http";
import { describe, expect, test } from "vitest";
import { originRefused, sessionInvalid, sessionMissing, storeUnavailable, tooManyAttempts } from "../../../src/account/refusals.ts";
import { createOpenCheck, createSessionCheck, requestContextKey } from "../../../src/gateway/session/account-services.ts";
import type { Admitted, Refused } from "../../../src/guard/guard.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { internalProblem, type Problem } from "../../../src/problem/problem.ts";
import { createLog, type Log } from "../../../src/runtime/log.ts";
import type { StoredSession } from "../../../src/store/owner-records.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";

const method = "quintet.account.v1.AccountService/GetAccount";
const token = "0123456789abcdefghijABCDEFGHIJxy";
const other = token.toUpperCase();
const known: StoredSession = { accountId: "a-1", expiresAtMs: 0 };

const exchangeOf = (headers: Exchange["headers"], isSecure = false): Exchange =>
  ({
    authority: "api.example",
    headers: { host: "api.example", ...headers },
    client: { address: "203.0.113.9", isSecure, certificate: undefined },
  }) as unknown as Exchange;

// A session check that knows one session, `token`. It records what it looked up and what it logged.
function createCheck(find?: (token: string) => Promise<StoredSession | undefined>) {
  const requested: string[] = [];
  const logged: unknown[] = [];
  const write = (...entry: unknown[]): void => void logged.push(entry);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const accessCheck = createSessionCheck({
    accountRpc: {
      async admit(_, { token: wanted = "" }) {
        requested.push(wanted);
        if ((await (find === undefined ? Promise.resolve(wanted === token ? known : undefined) : find(wanted))) === undefined) {
          throw new Failure(sessionInvalid());
        }
      },
    },
    log,
  });
  return {
    accessCheck,
    requested,
    logged,
    admissionRequest: async (headers: Exchange["headers"]) => accessCheck.admit(exchangeOf(headers), method),
  };
}

const refused = (problem: Problem): Refused => ({ admitted: false, problem });

// The admitted caller. Throws if the call was refused.
function callerOf(decision: Admitted | Refused): unknown {
  if (!decision.admitted) {
    throw new Error(`The call was refused: ${decision.problem.message}`);
  }
  expect(decision.caller.key).toBe(requestContextKey);
  expect(decision.limits).toBeUndefined();
  decision.settle("OK");
  return decision.caller.value;
}

const requestContext = { peer: "203.0.113.9", token, hasCookie: false, isForeignPage: false, isSecure: false };
const cookie = `quintet_session=${token}`;
const foreign = { origin: "https://page.example" };

describe("a caller with a session is admitted", () => {
  test.for<{ headers: Exchange["headers"]; change?: object }>([
    { headers: { authorization: `Bearer ${token}` } },
    { headers: { authorization: `bearer ${token}` } },
    { headers: { authorization: `BEARER   ${token}` } },
    { headers: { authorization: `Bearer ${token}`, ...foreign }, change: { isForeignPage: true, isSecure: true } },
    {
      headers: { authorization: `Bearer ${token}`, cookie: `quintet_session=${other}`, ...foreign },
      change: { isForeignPage: true, isSecure: true },
    },
    { headers: { cookie }, change: { hasCookie: true } },
    { headers: { cookie, origin: "http://api.example" }, change: { hasCookie: true } },
    { headers: { cookie, origin: "https://api.example" }, change: { hasCookie: true, isSecure: true } },
    { headers: { cookie: `a=b; ${cookie}`, "sec-fetch-site": "same-origin" }, change: { hasCookie: true } },
  ])("with $headers", async ({ headers, change }) => {
    const { admissionRequest, requested } = createCheck();
    expect(callerOf(await admissionRequest(headers))).toEqual({ ...requestContext, ...change });
    expect(requested).toEqual([token]);
  });
});

describe("a caller whose token cannot be a session's is refused without a lookup", () => {
  test.for<{ headers: Exchange["headers"]; problem: Problem }>([
    { headers: {}, problem: sessionMissing() },
    { headers: { "x-gateway-key": token }, problem: sessionMissing() },
    { headers: { cookie: "theme=dark" }, problem: sessionMissing() },
    { headers: { cookie: "theme=dark", ...foreign }, problem: sessionMissing() },
    { headers: { authorization: "" }, problem: sessionInvalid() },
    { headers: { authorization: token }, problem: sessionInvalid() },
    { headers: { authorization: "Bearer" }, problem: sessionInvalid() },
    { headers: { authorization: "Bearer " }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer${token}` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer\t${token}` }, problem: sessionInvalid() },
    { headers: { authorization: ` Bearer ${token}` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${token} ` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${token}\n` }, problem: sessionInvalid() },
    { headers: { authorization: `Basic ${token}` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${token}, Bearer ${token}` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer Bearer ${token}` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${token.slice(1)}` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${token}x` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${token.slice(1)}.` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${token.slice(1)}é` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer ${"x".repeat(100_000)}` }, problem: sessionInvalid() },
    { headers: { authorization: `Bearer${" ".repeat(100_000)}` }, problem: sessionInvalid() },
    // A cookie does not make up for a wrong token.
    { headers: { authorization: "Bearer nothing", cookie }, problem: sessionInvalid() },
    { headers: { cookie: "quintet_session=" }, problem: sessionInvalid() },
    { headers: { cookie: "quintet_session=nothing" }, problem: sessionInvalid() },
    { headers: { cookie: `${cookie}; ${cookie}` }, problem: sessionInvalid() },
    { headers: { cookie, ...foreign }, problem: originRefused() },
    { headers: { cookie, origin: "null" }, problem: originRefused() },
    { headers: { cookie, "sec-fetch-site": "same-site" }, problem: originRefused() },
    { headers: { cookie: "quintet_session=nothing", ...foreign }, problem: originRefused() },
  ])("with $headers", async ({ headers, problem }) => {
    const { admissionRequest, requested } = createCheck();
    expect(await admissionRequest(headers)).toEqual(refused(problem));
    expect(requested).toEqual([]);
  });
});

const bearing = { authorization: `Bearer ${token}` };

describe("a session that cannot be looked up", () => {
  test("is refused if it does not exist", async () => {
    const { admissionRequest, requested, logged } = createCheck();
    expect(await admissionRequest({ authorization: `Bearer ${other}` })).toEqual(refused(sessionInvalid()));
    expect(requested).toEqual([other]);
    expect(logged).toEqual([]);
  });

  test("is refused while the store is unavailable", async () => {
    const { admissionRequest, logged } = createCheck(() => Promise.reject(new StoreUnavailable("The store is closed.")));
    expect(await admissionRequest(bearing)).toEqual(refused(storeUnavailable()));
    expect(logged).toEqual([]);
  });

  test.for<{ how: string; find: () => Promise<never> }>([
    { how: "rejects", find: () => Promise.reject(new TypeError("a defect")) },
    {
      how: "throws",
      find() {
        throw new TypeError("a defect");
      },
    },
  ])("is a defect if the lookup $how otherwise, which is logged without the token", async ({ find }) => {
    const { admissionRequest, logged } = createCheck(find);
    const defect = new TypeError("a defect");
    expect(await admissionRequest(bearing)).toEqual(refused(internalProblem(defect)));
    expect(logged).toEqual([[{ err: defect }, "a call to an account service could not be admitted"]]);
  });

  test("is not tried during 200 other lookups, and is tried again when one of them is done", async () => {
    const responses: PromiseWithResolvers<StoredSession | undefined>[] = [];
    const { admissionRequest, requested } = createCheck(() => {
      const response = Promise.withResolvers<StoredSession | undefined>();
      responses.push(response);
      return response.promise;
    });
    const waiting = Array.from({ length: 200 }, () => admissionRequest(bearing));
    expect(await Promise.all([admissionRequest(bearing), admissionRequest(bearing)])).toEqual([
      refused(storeUnavailable()),
      refused(storeUnavailable()),
    ]);
    expect(await admissionRequest({})).toEqual(refused(sessionMissing()));
    responses[0]?.resolve(known);
    responses[1]?.reject(new StoreUnavailable("silent"));
    expect(callerOf(await (waiting[0] as Promise<Admitted>))).toEqual(requestContext);
    expect(await waiting[1]).toEqual(refused(storeUnavailable()));
    waiting.push(admissionRequest(bearing), admissionRequest(bearing));
    expect(await admissionRequest(bearing)).toEqual(refused(storeUnavailable()));
    expect(requested).toHaveLength(202);
    for (const response of responses) {
      response.resolve(undefined);
    }
    expect(await Promise.all(waiting.slice(2))).toEqual(waiting.slice(2).map(() => refused(sessionInvalid())));
  });
});

test("renewing an admission looks up the session again, and is refused if the session has ended", async () => {
  let session: StoredSession | undefined = known;
  const { admissionRequest, requested } = createCheck(() => Promise.resolve(session));
  const first = (await admissionRequest(bearing)) as Admitted;
  const second = await first.renew();
  expect(callerOf(second)).toEqual(requestContext);
  session = undefined;
  expect(await (second as Admitted).renew()).toEqual(refused(sessionInvalid()));
  expect(requested).toEqual([token, token, token]);
});

const log = createLog("silent");

describe("the open check admits", () => {
  const accessCheck = createOpenCheck({ accountRpc: { admit: () => Promise.resolve(undefined) }, log });
  test.for<{ headers: Exchange["headers"]; change?: object }>([
    { headers: {} },
    { headers: bearing },
    { headers: { cookie, ...foreign }, change: { isForeignPage: true, isSecure: true } },
    { headers: { origin: "http://api.example" } },
  ])("a caller who sends $headers, without a session", async ({ headers, change }) => {
    const decision = (await accessCheck.admit(exchangeOf(headers), method)) as Admitted;
    expect(callerOf(decision)).toEqual({ ...requestContext, token: undefined, ...change });
    expect(callerOf(await decision.renew())).toEqual(callerOf(decision));
  });
});

test("the open check refuses a caller who exceeds the rate limit, and says when to retry", async () => {
  const requested: unknown[] = [];
  const accessCheck = createOpenCheck({
    accountRpc: {
      admit(...question) {
        requested.push(question);
        return Promise.reject(new Failure(tooManyAttempts(1000)));
      },
    },
    log,
  });
  expect(await accessCheck.admit(exchangeOf({}), method)).toEqual(refused(tooManyAttempts(1000)));
  expect(requested).toEqual([[method, { peer: "203.0.113.9", token: undefined }]]);
});

test("responses under both checks must not be stored by caches", () => {
  const headers = { "cache-control": "no-store" };
  expect([
    createCheck().accessCheck.headers,
    createOpenCheck({ accountRpc: { admit: () => Promise.resolve(undefined) }, log }).headers,
  ]).toEqual([headers, headers]);
});
