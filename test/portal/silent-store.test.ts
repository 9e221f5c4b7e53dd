// While the database does not respond, every page of the portal still does: none waits for it longer than five seconds.
import { create } from "@bufbuild/protobuf";
import type { Exchange } from "@quintet/http";
import { expect, test } from "vitest";
import { type GetStatusResponse, GetStatusResponseSchema } from "../../gen/quintet/account/v1/status_pb.js";
import { loadPlans } from "../../src/catalogue/plans.ts";
import type { Document } from "../../src/gateway/document.ts";
import { createPortal, PORTAL_DIRECTORY } from "../../src/portal/portal.ts";
import { createStatusReader } from "../../src/portal/status-reader.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const silence = (): Promise<GetStatusResponse> => new Promise(() => {});

/** The statuses with which a document has responded so far. */
function request(document: Document): readonly number[] {
  const statuses: number[] = [];
  const exchange = {
    ...{ method: "GET", path: "/", authority: "localhost", headers: {}, client: { isSecure: false } },
    whenRoom: () => undefined,
    respond: (status: number) => void statuses.push(status),
  };
  document(exchange as unknown as Exchange, {});
  return statuses;
}

test("every document responds within five seconds, and those that need the database say that it is away", async () => {
  const clock = createManualClock({ nowMs: 0 });
  const operator = { name: undefined, address: undefined, supportContact: undefined, governingLaw: undefined };
  const own = {
    plans: loadPlans(undefined),
    operator,
    explore: undefined,
    facts: { sendsMail: false, takesCards: false, identityProviders: [], passkeyOrigin: undefined },
    clock,
  };
  const { documents } = createPortal(PORTAL_DIRECTORY, { ...own, status: silence });
  const waiting = [...documents].map(([path, document]) => [path, request(document)] as const);
  await turn();
  const late = waiting.filter(([, statuses]) => statuses.length === 0).map(([path]) => path);
  expect([documents.size > 100, late]).toEqual([true, ["/status", "/status/feed.atom"]]);
  clock.advance(5000);
  await turn();
  expect(waiting.filter(([, statuses]) => statuses.length !== 1)).toEqual([]);
  expect(waiting.filter(([path]) => late.includes(path)).map(([, statuses]) => statuses)).toEqual([[503], [503]]);
});

test("a read is shared by all who wait for it; one that takes five seconds is given up, and the next is another one", async () => {
  const clock = createManualClock({ nowMs: 0 });
  const reads = [Promise.withResolvers<GetStatusResponse>(), Promise.withResolvers<GetStatusResponse>()];
  let begun = 0;
  const read = createStatusReader(() => reads[begun++]?.promise ?? silence(), clock);
  const [first, second] = [read(), read()];
  const ends = Promise.allSettled([first, second]);
  clock.advance(5000);
  expect([(await ends).map(({ status }) => status), begun]).toEqual([["rejected", "rejected"], 1]);
  const third = read();
  // The one that was given up says nothing any more.
  reads[0]?.resolve(create(GetStatusResponseSchema, { fromDay: "2026-08-24" }));
  reads[1]?.resolve(create(GetStatusResponseSchema, { fromDay: "2026-08-25" }));
  expect([(await third).fromDay, begun]).toEqual(["2026-08-25", 2]);
});
