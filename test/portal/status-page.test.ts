// The status page: what it says about measurements, and how rarely they are read for it.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Exchange } from "@quintet/http";
import { expect, test } from "vitest";
import { IncidentImpact, IncidentSchema, IncidentState } from "../../gen/quintet/account/v1/incident_pb.js";
import { type GetStatusResponse, GetStatusResponseSchema, ServiceCondition } from "../../gen/quintet/account/v1/status_pb.js";
import { createStatusDocument } from "../../src/portal/portal.ts";
import { statusHtml } from "../../src/portal/status-page.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const { OPERATIONAL, DEGRADED, FAILING, QUIET } = ServiceCondition;

const statusOf = (farkle: ServiceCondition, radio: ServiceCondition = OPERATIONAL): GetStatusResponse =>
  create(GetStatusResponseSchema, {
    measuredAt: timestampFromMs(Date.parse("2026-11-21T12:10:30Z")),
    fromDay: "2026-08-24",
    services: [
      { service: "radio", calls: { condition: radio }, source: { condition: QUIET } },
      {
        service: "farkle",
        calls: {
          condition: farkle,
          availability: 0.999_876_5,
          medianMs: 2.5,
          p95Ms: 1240,
          days: [
            { day: "2026-08-24", availability: 1, medianMs: 2.5 },
            { day: "2026-08-25", availability: 0.995 },
            { day: "2026-11-21", availability: 0.5 },
          ],
        },
      },
    ],
  });

test.each([
  { farkle: OPERATIONAL, radio: OPERATIONAL, mark: "good", words: "All services operational" },
  { farkle: OPERATIONAL, radio: QUIET, mark: "good", words: "All services operational" },
  { farkle: QUIET, radio: QUIET, mark: "quiet", words: "No recent calls" },
  { farkle: DEGRADED, radio: OPERATIONAL, mark: "fair", words: "Degraded: Farkle" },
  { farkle: DEGRADED, radio: FAILING, mark: "poor", words: "Failing: Radio stations" },
  { farkle: FAILING, radio: FAILING, mark: "poor", words: "Failing: Radio stations, Farkle" },
])("it begins with one sentence about all services: $words", ({ farkle, radio, mark, words }) => {
  expect(statusHtml(statusOf(farkle, radio))).toMatch(new RegExp(`^<p data-mark="${mark}"><b>${words}</b></p>`));
});

test.each([
  { source: FAILING, others: 0, words: "one data source has problems</b></p><p>Data sources: Radio stations failing.</p>" },
  { source: DEGRADED, others: 0, words: "one data source has problems</b></p><p>Data sources: Radio stations degraded.</p>" },
  {
    source: FAILING,
    others: 1,
    words: "2 data sources have problems</b></p><p>Data sources: Radio stations failing, Bitcoin valuation failing.</p>",
  },
])("a data source with problems is named beside services that are operational: $words", ({ source, others, words }) => {
  const measured = { calls: { condition: OPERATIONAL }, source: { condition: source } };
  const status = create(GetStatusResponseSchema, {
    fromDay: "2026-08-24",
    services: [{ service: "radio", ...measured }, ...Array.from({ length: others }, () => ({ service: "bitcoin", ...measured }))],
  });
  const html = statusHtml(status);
  expect(html.startsWith(`<p data-mark="fair"><b>All services operational; ${words}`)).toBe(true);
});

const at = (time: string) => timestampFromMs(Date.parse(time));
const incidentOf = (change: MessageInitShape<typeof IncidentSchema>): MessageInitShape<typeof IncidentSchema> => ({
  ...{ id: "i-1", title: "Searches <are> slow", impact: IncidentImpact.DEGRADED, state: IncidentState.IDENTIFIED },
  ...{ services: ["radio"], beginsAt: at("2026-11-21T11:00:00Z") },
  updates: [
    { at: at("2026-11-21T11:30:00Z"), state: IncidentState.IDENTIFIED, text: "A mirror\nis <b>down</b>." },
    { at: at("2026-11-21T11:00:00Z"), state: IncidentState.INVESTIGATING, text: "We look into it." },
  ],
  ...change,
});
const statusWith = (...incidents: MessageInitShape<typeof IncidentSchema>[]): string =>
  statusHtml({ ...statusOf(OPERATIONAL), incidents: incidents.map((one) => create(IncidentSchema, one)) });

test("an open incident comes before everything else, as text", () => {
  const html = statusWith(incidentOf({}));
  expect(html).toMatch(/^<article data-incident data-mark="fair"><h2 id="incident-i-1">Searches &lt;are&gt; slow<\/h2>/);
  expect(html).toContain('Identified&nbsp;· <b data-mark="fair">Degraded performance</b>&nbsp;· Radio stations&nbsp;· since <time');
  expect(html).toContain("<p>A mirror\nis &lt;b&gt;down&lt;/b&gt;.</p>");
  expect(html.indexOf("A mirror")).toBeLessThan(html.indexOf("We look into it."));
  expect(html).toContain("There were no incidents in the last 90 days.");
});

test("while an incident is open, nothing says that all services are operational", () => {
  expect(statusWith(incidentOf({}))).toContain(
    '<p data-mark="quiet"><b>By our measurements, no service is failing or degraded</b></p>',
  );
  expect(statusWith(incidentOf({ state: IncidentState.SCHEDULED }))).toContain("All services operational");
  expect(statusWith(incidentOf({ state: IncidentState.RESOLVED }))).toContain("All services operational");
});

test("maintenance says when it will begin and end", () => {
  const html = statusWith(
    incidentOf({
      ...{ impact: IncidentImpact.MAINTENANCE, state: IncidentState.SCHEDULED, services: [] },
      ...{ beginsAt: at("2026-11-22T03:00:00Z"), endsAt: at("2026-11-22T04:00:00Z") },
    }),
  );
  expect(html).toMatch(/^<article data-incident data-mark="quiet">/);
  expect(html).toMatch(
    /All services&nbsp;· <time [^>]+>Nov 22, 2026, 03:00 UTC<\/time> to <time [^>]+>Nov 22, 2026, 04:00 UTC<\/time>/,
  );
});

test.each([
  { endsAt: "2026-11-21T11:00:10Z", words: "for 1 min" },
  { endsAt: "2026-11-21T11:45:00Z", words: "for 45 min" },
  { endsAt: "2026-11-21T13:00:00Z", words: "for 2 h" },
  { endsAt: "2026-11-21T13:05:00Z", words: "for 2 h 5 min" },
  { endsAt: "2026-11-24T12:00:00Z", words: "for 3 d 1 h" },
])("what is over by $endsAt is below, by day, and says that it lasted: $words", ({ endsAt, words }) => {
  const over = { state: IncidentState.RESOLVED, endsAt: at(endsAt) };
  const html = statusWith(incidentOf(over), incidentOf({ ...over, id: "i-2" }));
  expect(html).toMatch(/^<p data-mark="good"><b>All services operational<\/b><\/p>/);
  const [, past = ""] = html.split("Past incidents</h2>");
  expect(past.match(/<h3>/g)).toHaveLength(1);
  expect(past).toContain(
    '<h3><time datetime="2026-11-21">Nov 21, 2026</time></h3><details id="incident-i-1"><summary><b>Searches &lt;are&gt; slow</b>',
  );
  expect(past).toContain(`Nov 21, 2026, 11:00 UTC</time>, ${words}</summary>`);
});

test("each service and source has its state, 90 bars and the figures in words, and no share is rounded up", () => {
  const html = statusHtml(statusOf(OPERATIONAL));
  expect(html).toContain('<time datetime="2026-11-21T12:10:30.000Z">Nov 21, 2026, 12:10 UTC</time>');
  expect(html).toContain("<p>99.987% over 3 days. Median 2.5 ms, 95th percentile 1.2 s.</p>");
  expect(html.match(/<rect/g)).toHaveLength(3 * 90);
  expect(html.match(/data-mark="none"/g)).toHaveLength(3 * 90 - 3);
  expect(html).toContain('data-mark="good"><title>Aug 24, 2026: 100%, median 2.5 ms</title>');
  expect(html).toContain('data-mark="fair"><title>Aug 25, 2026: 99.5%</title>');
  expect(html).toContain('data-mark="poor"><title>Nov 21, 2026: 50%</title>');
  expect(html).toContain('aria-label="The last 90 days: below 99% on Nov 21, 2026"');
  expect(html).toContain("<h3>Data source</h3>");
  expect(html).toContain("<p>No data.</p>");
});

test("a service waits for calls, and its data source for requests", () => {
  const html = statusHtml(statusOf(QUIET, QUIET));
  const [calls = "", source = ""] = html.slice(html.indexOf('id="radio"'), html.indexOf("</section>")).split("Data source");
  expect(calls).toContain('<b data-mark="quiet">No recent calls</b>');
  expect(calls).toContain("<title>Aug 24, 2026: no calls</title>");
  expect(source).toContain('<b data-mark="quiet">No recent requests</b>');
  expect(source).toContain("<title>Aug 24, 2026: no requests</title>");
});

function begin() {
  const clock = createManualClock({ nowMs: 0 });
  const state = { reads: 0, isAway: false, condition: OPERATIONAL };
  const document = createStatusDocument({
    fill: (html) => `<main>${html}</main>`,
    read: async () => {
      state.reads += 1;
      if (state.isAway) {
        throw new Error("away");
      }
      return statusOf(state.condition);
    },
    headers: {},
    clock,
  });
  const request = async () => {
    const responses: (readonly [number, string])[] = [];
    const respond = (status: number, _: unknown, body: Uint8Array | string): void => {
      responses.push([status, String(body).match(/<b>(.*?)<\/b>/)?.[1] ?? ""]);
    };
    document({ headers: {}, whenRoom: () => undefined, respond } as unknown as Exchange, {});
    await new Promise(setImmediate);
    return responses[0];
  };
  return { clock, state, request };
}

test("however many visitors there are, the status is read by one at a time, twice a minute", async () => {
  const { clock, state, request } = begin();
  const responses = await Promise.all(Array.from({ length: 1000 }, request));
  expect(new Set(responses.map((response) => response?.join(" ")))).toEqual(new Set(["200 All services operational"]));
  expect(state.reads).toBe(1);
  clock.advance(29_999);
  await request();
  expect(state.reads).toBe(1);
  clock.advance(1);
  state.condition = FAILING;
  // The page that is too old is sent once more.
  expect(await request()).toEqual([200, "All services operational"]);
  expect(await request()).toEqual([200, "Failing: Farkle"]);
  expect(state.reads).toBe(2);
});

test("no page that is sent is older than a minute, unless nothing can be read", async () => {
  const { clock, state, request } = begin();
  await request();
  clock.advance(60_000);
  state.condition = FAILING;
  expect(await request()).toEqual([200, "Failing: Farkle"]);
  clock.advance(60_000);
  state.isAway = true;
  expect(await request()).toEqual([200, "Failing: Farkle"]);
});

test("while nothing can be read, the last page is sent; without one, a page with 503 that says so", async () => {
  const { clock, state, request } = begin();
  state.isAway = true;
  expect(await request()).toEqual([503, "The measurements cannot be read at the moment"]);
  clock.advance(30_000);
  state.isAway = false;
  expect(await request()).toEqual([200, "All services operational"]);
  clock.advance(30_000);
  state.isAway = true;
  await request();
  expect(await request()).toEqual([200, "All services operational"]);
});
