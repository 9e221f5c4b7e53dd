// The call log: what is kept, how it is searched, and who decides whether parameters are in it.
import { describe, expect, test } from "vitest";
import type { CallQuery, LoggedCall } from "../../../src/store/usage-records.ts";
import { account, nowMs, type Openers } from "./samples.ts";

const DAY_MS = 86_400_000;

const loggedCall = (number: number, change: Partial<LoggedCall> = {}): LoggedCall => ({
  accountId: "a-1",
  id: `call-${String(number).padStart(5, "0")}`,
  startedAtMs: nowMs + number,
  service: "farkle",
  method: "quintet.farkle.v1.FarkleService/Score",
  protocol: "rest",
  httpStatus: 200,
  outcome: "OK",
  isRefused: false,
  isDryRun: false,
  durationMs: 1.25,
  requestBytes: 0,
  responseBytes: 120,
  requestId: `r-${number}`,
  keyId: "k-1",
  keyLastFour: "wxyz",
  leftOut: 0,
  parameters: undefined,
  ...change,
});

const query = (change: Partial<CallQuery> = {}): CallQuery => ({
  accountId: "a-1",
  before: undefined,
  limit: 10,
  requestId: undefined,
  keyId: undefined,
  service: undefined,
  method: undefined,
  outcome: undefined,
  result: undefined,
  sinceMs: undefined,
  untilMs: undefined,
  ...change,
});

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The tests that every store passes. */
export function loggedCallsSuite({ open }: Openers): void {
  describe("The call log", () => {
    test("returns calls as they were logged, newest first, and only once", async () => {
      const { store } = await open();
      const calls = [
        loggedCall(1),
        loggedCall(2, { httpStatus: 0, outcome: "CANCELLED", durationMs: 0.001, leftOut: 17 }),
        loggedCall(3, { outcome: "RATE_LIMITED", isRefused: true, isDryRun: true, protocol: "grpc-web", requestBytes: 2 ** 40 }),
      ];
      await store.logCalls(calls);
      await store.logCalls(calls.slice(1));
      expect(await store.callPage(query())).toEqual({ calls: calls.toReversed(), next: undefined });
    });

    test("continues from call to call, even if several started at the same time", async () => {
      const { store } = await open();
      await store.logCalls(numbers(7).map((number) => loggedCall(number, { startedAtMs: nowMs + Math.floor(number / 3) })));
      const ids: string[] = [];
      let before: CallQuery["before"];
      do {
        const { calls, next } = await store.callPage(query({ limit: 2, before }));
        ids.push(...calls.map(({ id }) => id));
        before = next;
      } while (before !== undefined);
      expect(ids).toEqual(
        numbers(7)
          .map((number) => loggedCall(number).id)
          .toReversed(),
      );
    });

    test.each<[string, Partial<CallQuery>, readonly number[]]>([
      ["a request id", { requestId: "r-2" }, [2]],
      ["an unknown request id", { requestId: "r-9" }, []],
      ["a key", { keyId: "k-2" }, [3]],
      ["a service", { service: "radio" }, [4]],
      ["a method", { method: "m/Search" }, [4]],
      ["an outcome", { outcome: "NOT_FOUND" }, [5]],
      ["calls that succeeded", { result: "succeeded" }, [4, 3, 2, 1]],
      ["calls that failed", { result: "failed" }, [5]],
      ["calls that were refused", { result: "refused" }, [6]],
      ["a span", { sinceMs: nowMs + 2, untilMs: nowMs + 4 }, [3, 2]],
      ["several at once", { result: "succeeded", keyId: "k-1", untilMs: nowMs + 3 }, [2, 1]],
      ["another account", { accountId: "a-2" }, []],
    ])("is searched by %s", async (_, change, expected) => {
      const { store } = await open();
      await store.logCalls([
        loggedCall(1),
        loggedCall(2),
        loggedCall(3, { keyId: "k-2" }),
        loggedCall(4, { service: "radio", method: "m/Search" }),
        loggedCall(5, { outcome: "NOT_FOUND" }),
        loggedCall(6, { outcome: "QUOTA_EXCEEDED", isRefused: true }),
      ]);
      const { calls } = await store.callPage(query(change));
      expect(calls.map(({ id }) => id)).toEqual(expected.map((number) => loggedCall(number).id));
    });

    test("looks through 20,000 calls for a page, and says where the next one begins", async () => {
      const { store } = await open();
      const many = numbers(20_001).map((number) => loggedCall(number, number === 1 ? { outcome: "NOT_FOUND" } : {}));
      await store.logCalls(many);
      const wanted = query({ outcome: "NOT_FOUND" });
      const first = await store.callPage(wanted);
      expect(first).toEqual({ calls: [], next: { startedAtMs: nowMs + 2, id: loggedCall(2).id } });
      expect(await store.callPage({ ...wanted, before: first.next })).toEqual({ calls: [many[0]], next: undefined });
    });

    test("contains parameters only while the account wants them, and loses them when it no longer does", async () => {
      const { store } = await open();
      await store.createAccount({ ...account, id: "a-2", name: "other", email: "other@example.com" });
      const parameters = '{"dice":[1,5]}';
      const wanted = async (): Promise<readonly (string | undefined)[]> =>
        (await store.callPage(query())).calls.map((call) => call.parameters);
      await store.logCalls([loggedCall(1, { parameters })]);
      await store.setKeepsParameters("a-1", true);
      await store.setKeepsParameters("a-1", true);
      await store.logCalls([loggedCall(2, { parameters }), loggedCall(3), loggedCall(4, { accountId: "a-2", parameters })]);
      expect([await store.keepsParameters("a-1"), await store.keepsParameters("a-2"), await wanted()]).toEqual([
        true,
        false,
        [undefined, parameters, undefined],
      ]);
      expect((await store.callPage(query({ accountId: "a-2" }))).calls[0]?.parameters).toBe(undefined);
      await store.setKeepsParameters("a-1", false);
      await store.logCalls([loggedCall(5, { parameters })]);
      expect([await store.keepsParameters("a-1"), await wanted()]).toEqual([false, [undefined, undefined, undefined, undefined]]);
    });

    test("records in the audit trail that parameters are kept", async () => {
      const { store } = await open();
      const owner = store.by({ kind: "owner", name: "a-1", origin: "192.0.2.7" });
      await owner.setKeepsParameters("a-1", true);
      await owner.setKeepsParameters("a-1", false);
      const { entries } = await store.auditPage({ accountId: "a-1", limit: 2 });
      expect(entries.map(({ action, actor }) => [action, actor.kind])).toEqual([
        ["account.drop_parameters", "owner"],
        ["account.keep_parameters", "owner"],
      ]);
    });

    test("has no calls of accounts that do not exist or were deleted", async () => {
      const { store } = await open();
      await store.logCalls([loggedCall(1), loggedCall(2, { accountId: "nobody" })]);
      await store.setKeepsParameters("a-1", true);
      await store.deleteAccount("a-1");
      await store.logCalls([loggedCall(3)]);
      const { calls } = await store.callPage(query());
      expect([calls, await store.keepsParameters("a-1")]).toEqual([[], false]);
      expect((await store.callPage(query({ accountId: "nobody" }))).calls).toEqual([]);
    });

    test("keeps calls for seven days", async () => {
      const { store, clock } = await open();
      await store.logCalls([loggedCall(-DAY_MS, { id: "old" }), loggedCall(0, { id: "new" })]);
      clock.advance(6 * DAY_MS + 1);
      expect(await store.deleteExpired()).toBe(false);
      expect((await store.callPage(query())).calls.map(({ id }) => id)).toEqual(["new"]);
    });
  });
}
