// The access log of a whole server: a line for each call, including refused ones, and no secrets.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../fixtures/gateway.ts";
import { run } from "../../fixtures/program.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

const PASSWORD = "correct-horse-battery-staple";
const EMAIL = "owner@example.com";
const PLANS = { farkle: [{ name: "free", callsPerMonth: 100, requestsPerSecond: 100 }] };

test.each(["1", "2"])("every call has its line, without a secret, with %s threads", async (workers) => {
  const directory = temporaryDirectory();
  const path = join(directory, "access.log");
  const gateway = await startGateway({ plans: PLANS, variables: { QUINTET_ACCESS_LOG: path, QUINTET_WORKERS: workers } });
  onTestFinished(() => gateway.close());
  const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
  const madeUp = `${secret.slice(0, -6)}AAAAAA`;
  const call = (target: string, init: RequestInit = {}): Promise<Response> => fetch(gateway.origin + target, init);
  const json = { "content-type": "application/json" };
  await call("/farkle/v1/score?dice=1", { headers: { "x-gateway-key": secret } });
  await call("/farkle/v1/score?dice=9", { headers: { "x-gateway-key": secret } });
  await call("/farkle/v1/score?dice=1", { headers: { "x-gateway-key": madeUp } });
  await call(`/farkle/v1/score/${secret}?key=${secret}`);
  const account = { method: "POST", headers: json, body: JSON.stringify({ email: EMAIL, password: PASSWORD }) };
  const signUp = await call("/account/v1/sign-up", account);
  const { data } = (await signUp.json()) as { data: { session: { token: string } } };
  const { token } = data.session;
  await call("/account/v1/account", { headers: { authorization: `Bearer ${token}` } });
  await call("/account/v1/account", { headers: { cookie: `quintet_session=${token}` } });
  await call("/account/v1/account", { headers: { authorization: `Basic ${btoa(`${EMAIL}:${PASSWORD}`)}` } });
  // Threads write lines a tenth of a second later; a single thread, whose clock stands still, when its clock has moved.
  const linesNow = (): readonly string[] => {
    gateway.clock.advance(100);
    return readFileSync(path, "utf8").split("\n").slice(0, -1);
  };
  await expect.poll(() => linesNow().length).toBe(8);
  const text = readFileSync(path, "utf8");
  const lines = linesNow().map((line) => JSON.parse(line) as Record<string, unknown>);
  const score = { method: "quintet.farkle.v1.FarkleService/Score", protocol: "rest" };
  const known = { account: key.accountId, key_last_four: key.lastFour };
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...score, ...known, status: 200, code: "ok", reason: "OK" }),
      expect.objectContaining({ ...score, ...known, status: 400, code: "invalid_argument", reason: "INVALID_ARGUMENT" }),
      expect.objectContaining({ ...score, status: 401, reason: "KEY_INVALID", account: null, key_last_four: null }),
      expect.objectContaining({ method: null, status: 404, reason: "METHOD_UNKNOWN" }),
      expect.objectContaining({ method: "quintet.account.v1.SignInService/SignUp", status: 200 }),
      expect.objectContaining({ method: "quintet.account.v1.AccountService/GetAccount", status: 401, reason: "SESSION_INVALID" }),
    ]),
  );
  const secrets = [secret, secret.slice(8, 20), madeUp.slice(8, 20), token, PASSWORD, EMAIL, btoa(`${EMAIL}:${PASSWORD}`)];
  expect(secrets.filter((one) => text.includes(one))).toEqual([]);
});

test("a file that cannot be written fails the start, and is named", async () => {
  const ended = await run("serve", { QUINTET_DATA_DIR: temporaryDirectory(), QUINTET_ACCESS_LOG: "/nonexistent/access.log" });
  expect(ended).toEqual({
    code: 6,
    out: "",
    err: 'quintet: The environment has a fault:\n  QUINTET_ACCESS_LOG names "/nonexistent/access.log", which cannot be written (ENOENT)\n',
  });
});
