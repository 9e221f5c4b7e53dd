// Incidents and maintenance as an Atom feed, for programs that watch for changes: https://www.rfc-editor.org/rfc/rfc4287
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ResponseHeaders } from "@quintet/http";
import { type Incident, IncidentState, type IncidentUpdate } from "../../gen/quintet/account/v1/incident_pb.js";
import type { GetStatusResponse } from "../../gen/quintet/account/v1/status_pb.js";
import type { Document } from "../gateway/document.ts";
import type { Clock } from "../runtime/clock.ts";
import { originOf } from "./origin-documents.ts";
import { escapedHtml } from "./plan-figures.ts";
import { timeText } from "./status-dates.ts";
import { affectedServices, IMPACTS, STATES } from "./status-incidents.ts";
import type { ReadStatus } from "./status-reader.ts";

// Keeps a response small even if operators write a lot.
const INCIDENTS_MAX = 30;
const UPDATES_MAX = 10;

// Anybody may request the feed as often as they like, and reading the status takes the database much longer than sending it takes us.
const KEPT_MS = 30_000;

export const FEED_PATH = "/status/feed.atom";

const UNAVAILABLE = "The incidents cannot be read at the moment. Try again in a minute.\n";

interface FeedDocumentOptions {
  readonly read: ReadStatus;
  readonly headers: ResponseHeaders;
  readonly publicUrl?: string | undefined;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * The feed, with URLs at the public URL or, without one, at the host that the request names. It is at most 30 seconds older than the
 * status.
 */
export function createFeedDocument({ read, headers, publicUrl, clock }: FeedDocumentOptions): Document {
  let kept: { readonly status: GetStatusResponse; readonly untilMs: number } | undefined;
  let last: { readonly status: GetStatusResponse; readonly origin: string; readonly feed: string } | undefined;
  const currentStatus = async (): Promise<GetStatusResponse> => {
    if (kept === undefined || clock.monotonicMs() >= kept.untilMs) {
      kept = { status: await read(), untilMs: clock.monotonicMs() + KEPT_MS };
    }
    return kept.status;
  };
  const feedAt = (status: GetStatusResponse, origin: string): string => {
    if (last?.status !== status || last.origin !== origin) {
      last = { status, origin, feed: incidentFeed(status, origin) };
    }
    return last.feed;
  };
  return (exchange, common) => {
    const all = { ...common, ...headers, vary: "host" };
    currentStatus().then(
      (status) => {
        const own = { "content-type": "application/atom+xml; charset=utf-8", "cache-control": "public, max-age=60" };
        exchange.respond(200, { ...all, ...own }, feedAt(status, originOf(exchange, publicUrl)));
      },
      () =>
        exchange.respond(503, { ...all, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" }, UNAVAILABLE),
    );
  };
}

const msOf = (at: Timestamp | undefined): number => (at === undefined ? 0 : timestampMs(at));
const time = (at: Timestamp | undefined): string => new Date(msOf(at)).toISOString();

const updateHtml = ({ at, state, text }: IncidentUpdate): string =>
  `<p><b>${STATES[state]}</b>, ${timeText(msOf(at))}:<br>${escapedHtml(text).replaceAll("\n", "<br>")}</p>`;

// An incident changes with each update, and maintenance also when it begins and ends at the announced time.
function lastChangeMs({ state, beginsAt, endsAt, createdAt, updates: [newest] }: Incident): number {
  const announced = state === IncidentState.IN_PROGRESS ? beginsAt : state === IncidentState.COMPLETED ? endsAt : undefined;
  return Math.max(msOf(newest?.at ?? createdAt), newest?.state === state ? 0 : msOf(announced));
}

// The entry of an incident. Its HTML is escaped once more, because it is text in the XML.
function entry(incident: Incident, origin: string): string {
  const { id, title, impact, state, createdAt, updates } = incident;
  const about = `<p>${IMPACTS[impact][1]} · ${escapedHtml(affectedServices(incident))}</p>`;
  return `<entry>
<id>urn:uuid:${escapedHtml(id)}</id>
<title>${escapedHtml(`${title} (${STATES[state].toLowerCase()})`)}</title>
<link rel="alternate" type="text/html" href="${escapedHtml(`${origin}/status#incident-${id}`)}"/>
<published>${time(createdAt)}</published>
<updated>${new Date(lastChangeMs(incident)).toISOString()}</updated>
<content type="html">${escapedHtml(about + updates.slice(0, UPDATES_MAX).map(updateHtml).join(""))}</content>
</entry>
`;
}

/** A feed of the 30 incidents that changed last, each with its 10 newest updates. `origin`: the origin of the portal's pages. */
export function incidentFeed({ incidents, fromDay }: Pick<GetStatusResponse, "incidents" | "fromDay">, origin: string): string {
  const listed = incidents.toSorted((one, other) => lastChangeMs(other) - lastChangeMs(one)).slice(0, INCIDENTS_MAX);
  const [latest] = listed;
  // Without incidents, this time changes only once a day.
  const updated = new Date(latest === undefined ? Date.parse(fromDay) : lastChangeMs(latest)).toISOString();
  const self = escapedHtml(origin + FEED_PATH);
  // Does not parse the origin as a URL: a request may name a host that no URL can have.
  const host = origin.slice(origin.indexOf("//") + 2);
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${self}</id>
<title>Quintet: incidents and maintenance</title>
<updated>${updated}</updated>
<author><name>${escapedHtml(host)}</name></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${escapedHtml(`${origin}/status`)}"/>
${listed.map((incident) => entry(incident, origin)).join("")}</feed>
`;
}
