// Incidents and maintenance as HTML, for the status page: open and scheduled ones at the top, and past ones below, by day.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Incident, IncidentImpact, IncidentState } from "../../gen/quintet/account/v1/incident_pb.js";
import { SERVICES, type ServiceName } from "../catalogue/service-names.ts";
import { escapedHtml } from "./plan-figures.ts";
import { dayText, timeText } from "./status-dates.ts";

// No line begins with the dot.
const DOT = "&nbsp;· ";
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;

/** The mark and the name of each impact. */
export const IMPACTS: Readonly<Record<IncidentImpact, readonly [mark: string, words: string]>> = {
  [IncidentImpact.UNSPECIFIED]: ["quiet", "Incident"],
  [IncidentImpact.DEGRADED]: ["fair", "Degraded performance"],
  [IncidentImpact.PARTIAL_OUTAGE]: ["fair", "Partial outage"],
  [IncidentImpact.MAJOR_OUTAGE]: ["poor", "Major outage"],
  [IncidentImpact.MAINTENANCE]: ["quiet", "Maintenance"],
};

export const STATES: Readonly<Record<IncidentState, string>> = {
  [IncidentState.UNSPECIFIED]: "Update",
  [IncidentState.INVESTIGATING]: "Investigating",
  [IncidentState.IDENTIFIED]: "Identified",
  [IncidentState.MONITORING]: "Monitoring",
  [IncidentState.RESOLVED]: "Resolved",
  [IncidentState.SCHEDULED]: "Scheduled",
  [IncidentState.IN_PROGRESS]: "In progress",
  [IncidentState.COMPLETED]: "Completed",
};

const isOver = ({ state }: Incident): boolean => state === IncidentState.RESOLVED || state === IncidentState.COMPLETED;

const isScheduled = ({ state }: Incident): boolean => state === IncidentState.SCHEDULED;
/** Whether an incident has begun and is not over. */
export const isOngoing = (incident: Incident): boolean => !isOver(incident) && !isScheduled(incident);

const beginsMs = ({ beginsAt }: Incident): number => (beginsAt === undefined ? 0 : timestampMs(beginsAt));

function time(ms: number): string {
  return `<time datetime="${new Date(ms).toISOString()}">${timeText(ms)}</time>`;
}

/** The titles of the services, separated by commas. */
export const affectedServices = ({ services }: Incident): string =>
  services.length === 0 ? "All services" : services.map((name) => SERVICES[name as ServiceName].title).join(", ");

// `45 min`, `2 h 5 min`, `3 d 1 h`.
function lasting(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  const [days, hours] = [Math.floor(minutes / DAY_MINUTES), Math.floor((minutes % DAY_MINUTES) / HOUR_MINUTES)];
  const parts = [
    days > 0 ? `${days} d` : "",
    hours > 0 ? `${hours} h` : "",
    days === 0 && minutes % HOUR_MINUTES > 0 ? `${minutes % HOUR_MINUTES} min` : "",
  ];
  return parts.filter(Boolean).join(" ");
}

// When it began and ended, or will end.
function span(incident: Incident): string {
  const { endsAt, impact } = incident;
  const from = beginsMs(incident);
  if (impact === IncidentImpact.MAINTENANCE && endsAt !== undefined) {
    return `${time(from)} to ${time(timestampMs(endsAt))}`;
  }
  return endsAt === undefined ? `since ${time(from)}` : `${time(from)}, for ${lasting(timestampMs(endsAt) - from)}`;
}

const updates = ({ updates: written }: Incident): string =>
  `<ol>${written
    .map(
      ({ at, state, text }) =>
        `<li><b>${STATES[state]}</b> ${at === undefined ? "" : time(timestampMs(at))}<p>${escapedHtml(text)}</p></li>`,
    )
    .join("")}</ol>`;

function heading(incident: Incident): string {
  const [mark, words] = IMPACTS[incident.impact];
  return `<b data-mark="${mark}">${words}</b>${DOT}${escapedHtml(affectedServices(incident))}${DOT}${span(incident)}`;
}

/** Open incidents and then scheduled maintenance; empty if there is neither. */
export const openIncidentsHtml = (incidents: readonly Incident[]): string =>
  [...incidents.filter(isOngoing), ...incidents.filter(isScheduled)]
    .map((incident) => {
      const [mark] = IMPACTS[incident.impact];
      const title = `<h2 id="incident-${incident.id}">${escapedHtml(incident.title)}</h2>`;
      return `<article data-incident data-mark="${mark}">${title}<p>${STATES[incident.state]}${DOT}${heading(incident)}</p>${updates(incident)}</article>`;
    })
    .join("");

/** Past incidents and maintenance, by the day on which they started. */
export function pastIncidentsHtml(incidents: readonly Incident[]): string {
  const past = incidents.filter(isOver);
  const days = Map.groupBy(past, (incident) => new Date(beginsMs(incident)).toISOString().slice(0, 10));
  const listed = Array.from(days, ([day, of]) => {
    const each = of.map(
      (incident) =>
        `<details id="incident-${incident.id}"><summary><b>${escapedHtml(incident.title)}</b><br>${heading(incident)}</summary>${updates(incident)}</details>`,
    );
    return `<h3><time datetime="${day}">${dayText(day)}</time></h3>${each.join("")}`;
  });
  const none = "<p>There were no incidents in the last 90 days.</p>";
  return `<div data-incidents><h2 id="past-incidents">Past incidents</h2>${listed.length === 0 ? none : listed.join("")}</div>`;
}
