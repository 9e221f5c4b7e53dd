// The feed of incidents: what changed last comes first, nothing that operators write becomes markup, and it is bounded.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Exchange } from "@quintet/http";
import { expect, test } from "vitest";
import { type Incident, IncidentImpact, IncidentSchema, IncidentState } from "../../gen/quintet/account/v1/incident_pb.js";
import { GetStatusResponseSchema } from "../../gen/quintet/account/v1/status_pb.js";
import type { Document } from "../../src/gateway/document.ts";
import { createFeedDocument, incidentFeed } from "../../src/portal/incident-feed.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const BEGAN_MS = Date.parse("2026-11-21T11:00:00Z");
const ORIGIN = "https://api.example.com";

const incident = (id: string, minute: number, text = "Soon.", updates = 1): Incident =>
  create(IncidentSchema, {
    ...{ id, title: "Searches <are> slow", impact: IncidentImpact.DEGRADED, state: IncidentState.IDENTIFIED, services: ["radio"] },
    createdAt: timestampFromMs(BEGAN_MS),
    updates: Array.from({ length: updates }, () => ({
      at: timestampFromMs(BEGAN_MS + minute * 60_000),
      state: IncidentState.IDENTIFIED,
      text,
    })),
  });
const feedOf = (...incidents: Incident[]): string => incidentFeed({ incidents, fromDay: "2026-08-24" }, ORIGIN);
const idsIn = (feed: string): string[] => [...feed.matchAll(/urn:uuid:([\w-]+)/g)].map(([, id = ""]) => id);

test("the incident that changed last is first, and the feed is as new as that", () => {
  const feed = feedOf(incident("a", 1), incident("b", 3), incident("c", 2));
  expect(idsIn(feed)).toEqual(["b", "c", "a"]);
  expect(feed.match(/<updated>(.*?)<\/updated>/)?.[1]).toBe("2026-11-21T11:03:00.000Z");
  expect(feed).toContain(`<link rel="self" type="application/atom+xml" href="${ORIGIN}/status/feed.atom"/>`);
  expect(feed).toContain(`href="${ORIGIN}/status#incident-b"`);
});

test.each([
  { state: IncidentState.SCHEDULED, newest: IncidentState.SCHEDULED, updated: "2026-11-21T11:01:00.000Z" },
  { state: IncidentState.IN_PROGRESS, newest: IncidentState.SCHEDULED, updated: "2026-11-21T12:00:00.000Z" },
  { state: IncidentState.COMPLETED, newest: IncidentState.SCHEDULED, updated: "2026-11-21T13:00:00.000Z" },
  // When an operator has reported it, that is when it changed.
  { state: IncidentState.COMPLETED, newest: IncidentState.COMPLETED, updated: "2026-11-21T11:01:00.000Z" },
])("maintenance in the state $state, last reported in $newest, was updated at $updated", ({ state, newest, updated }) => {
  const maintenance = incident("m", 1);
  const [update] = maintenance.updates;
  maintenance.state = state;
  maintenance.beginsAt = timestampFromMs(BEGAN_MS + 3_600_000);
  maintenance.endsAt = timestampFromMs(BEGAN_MS + 7_200_000);
  maintenance.updates = update === undefined ? [] : [{ ...update, state: newest }];
  // Newer than the incident, if it has changed since.
  const feed = feedOf(incident("i", 30), maintenance);
  const times = [...feed.matchAll(/<updated>(.*?)<\/updated>/g)].map(([, time]) => time);
  expect(times.toSorted()).toEqual([updated, "2026-11-21T11:30:00.000Z", times[0]].toSorted());
  expect(times[0]).toBe(updated > "2026-11-21T11:30:00.000Z" ? updated : "2026-11-21T11:30:00.000Z");
});

test("what operators write is text, in the title and in the HTML of the content", () => {
  const feed = feedOf(incident("a", 1, "A <b>mirror</b> & more\nis down."));
  expect(feed).toContain("<title>Searches &lt;are&gt; slow (identified)</title>");
  expect(feed).toContain("A &amp;lt;b&amp;gt;mirror&amp;lt;/b&amp;gt; &amp;amp; more&lt;br&gt;is down.");
});

test("it has at most 30 incidents with 10 updates each, and without any it stays the same for a day", () => {
  const many = feedOf(...Array.from({ length: 40 }, (_, index) => incident(`i-${index}`, index, "Soon.", 20)));
  expect(idsIn(many)).toHaveLength(30);
  expect(many.match(/Soon\./g)).toHaveLength(300);
  expect(feedOf()).toContain("<updated>2026-08-24T00:00:00.000Z</updated>");
});

async function responseOf(document: Document, authority = "api.example.com"): Promise<[status: number, body: string]> {
  const responses: [number, string][] = [];
  const respond = (status: number, _: unknown, body: string) => void responses.push([status, body]);
  document({ client: { isSecure: true }, authority, respond } as unknown as Exchange, {});
  await new Promise(setImmediate);
  return responses[0] ?? expect.fail("there is no response");
}

test("the database is read once in 30 seconds, however many ask, and 503 is the response when it cannot be read", async () => {
  const clock = createManualClock({ nowMs: BEGAN_MS });
  let isAway = false;
  let reads = 0;
  const document = createFeedDocument({
    headers: {},
    clock,
    async read() {
      reads += 1;
      await Promise.resolve();
      if (isAway) {
        throw new Error("away");
      }
      return create(GetStatusResponseSchema, { fromDay: "2026-08-24" });
    },
  });
  const status = async (): Promise<number> => (await responseOf(document))[0];
  expect([await status(), await status(), reads]).toEqual([200, 200, 1]);
  expect((await responseOf(document, "other.example"))[1]).toContain("https://other.example/status");
  clock.advance(29_999);
  isAway = true;
  expect([await status(), reads]).toEqual([200, 1]);
  clock.advance(1);
  expect([await status(), await status(), reads]).toEqual([503, 503, 3]);
  isAway = false;
  expect([await status(), await status(), reads]).toEqual([200, 200, 4]);
});

test("a host that is not one of any URL gets the feed too, with the host as the author", async () => {
  const document = createFeedDocument({
    headers: {},
    clock: createManualClock({ nowMs: BEGAN_MS }),
    read: async () => create(GetStatusResponseSchema, { fromDay: "2026-08-24" }),
  });
  for (const authority of ["256.256.256.256", "localhost:99999", "a%b"]) {
    const response = await new Promise<unknown[]>((resolve) => {
      const exchange = { client: { isSecure: false }, authority, respond: (...given: unknown[]) => resolve(given) };
      document(exchange as unknown as Exchange, {});
    });
    expect(response).toEqual([200, expect.anything(), expect.stringContaining(`<author><name>${authority}</name></author>`)]);
  }
});
