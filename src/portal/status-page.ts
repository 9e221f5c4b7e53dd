// The services' status as HTML, for the status page. It needs no script, and everything that it draws is also in it as text.
import type { Incident } from "../../gen/quintet/account/v1/incident_pb.js";
import {
  type GetStatusResponse,
  type Measurement,
  ServiceCondition,
  type ServiceStatus,
} from "../../gen/quintet/account/v1/status_pb.js";
import { SERVICES, type ServiceName } from "../catalogue/service-names.ts";
import { escapedHtml } from "./plan-figures.ts";
import { dayText, timeText } from "./status-dates.ts";
import { isOngoing, openIncidentsHtml, pastIncidentsHtml } from "./status-incidents.ts";

/** The value of `data-placeholder` on the element that the status goes into. */
export const STATUS_PLACEHOLDER = "status";

const DAYS = 90;
const DAY_MS = 86_400_000;
const GOOD = 0.999;
const FAIR = 0.99;
const MS_PER_SECOND = 1000;

const CONDITIONS: Readonly<Record<ServiceCondition, readonly [mark: string, words: string]>> = {
  [ServiceCondition.UNSPECIFIED]: ["quiet", "Unknown"],
  [ServiceCondition.OPERATIONAL]: ["good", "Operational"],
  [ServiceCondition.DEGRADED]: ["fair", "Degraded"],
  [ServiceCondition.FAILING]: ["poor", "Failing"],
  [ServiceCondition.QUIET]: ["quiet", "Quiet"],
};

// What is measured: customers call a service, and this server sends requests to its source.
type Measured = "calls" | "requests";

// Rounded down: 100% means that nothing failed.
const percent = (share: number): string => `${Math.floor(share * 100_000) / 1000}%`;

const time = (ms: number): string =>
  ms >= MS_PER_SECOND ? `${(ms / MS_PER_SECOND).toFixed(1)} s` : `${ms < 10 ? ms : Math.round(ms)} ms`;

const markOf = (availability: number): string => (availability >= GOOD ? "good" : availability >= FAIR ? "fair" : "poor");

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The measured availability and response times as text. */
function figures({ availability, medianMs, p95Ms, days }: Measurement): string {
  if (availability === undefined) {
    return "No data.";
  }
  const took = medianMs === undefined || p95Ms === undefined ? "" : ` Median ${time(medianMs)}, 95th percentile ${time(p95Ms)}.`;
  return `${percent(availability)} over ${counted(days.length, "day")}.${took}`;
}

/** A bar for each day, the newest on the right. Days on which nothing was measured are pale. */
function bars({ days }: Measurement, what: Measured, fromDay: string): string {
  const measured = new Map(days.map((day) => [day.day, day]));
  const first = Date.parse(fromDay);
  const rects = Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(first + index * DAY_MS).toISOString().slice(0, 10);
    const found = measured.get(day);
    const median = found?.medianMs === undefined ? "" : `, median ${time(found.medianMs)}`;
    const words = found === undefined ? `no ${what}` : percent(found.availability) + median;
    return `<rect x="${index * 10}" width="8" height="36" data-mark="${found === undefined ? "none" : markOf(found.availability)}"><title>${dayText(day)}: ${words}</title></rect>`;
  });
  const poor = days.filter(({ availability }) => availability < FAIR);
  const worst = poor.length === 0 ? "no day below 99%" : `below 99% on ${poor.map(({ day }) => dayText(day)).join("; ")}`;
  return `<svg viewBox="0 0 ${DAYS * 10 - 2} 36" preserveAspectRatio="none" role="img" aria-label="The last ${DAYS} days: ${worst}">${rects.join("")}</svg>`;
}

function condition({ condition: now }: Measurement, what: Measured): string {
  const [mark, words] = CONDITIONS[now];
  return `<b data-mark="${mark}">${now === ServiceCondition.QUIET ? `No recent ${what}` : words}</b>`;
}

function part(title: string, what: Measured, measurement: Measurement | undefined, fromDay: string): string {
  return measurement === undefined
    ? ""
    : `<div><h3>${title}</h3>${condition(measurement, what)}${bars(measurement, what, fromDay)}<p>${figures(measurement)}</p></div>`;
}

function serviceHtml({ service, calls, source }: ServiceStatus, fromDay: string): string {
  const { title } = SERVICES[service as ServiceName];
  const parts = part("Calls", "calls", calls, fromDay) + part("Data source", "requests", source, fromDay);
  return `<section><h2 id="${service}">${escapedHtml(title)}</h2>${parts}</section>`;
}

/** The sentence about all services. */
function summary(services: readonly ServiceStatus[], incidents: readonly Incident[]): string {
  const isAt = (level: ServiceCondition) => services.filter(({ calls }) => calls?.condition === level);
  const titles = (of: readonly ServiceStatus[]): string =>
    of.map(({ service }) => SERVICES[service as ServiceName].title).join(", ");
  const failing = isAt(ServiceCondition.FAILING);
  const degraded = isAt(ServiceCondition.DEGRADED);
  if (failing.length > 0) {
    return `<p data-mark="poor"><b>Failing: ${escapedHtml(titles(failing))}</b></p>`;
  }
  if (degraded.length > 0) {
    return `<p data-mark="fair"><b>Degraded: ${escapedHtml(titles(degraded))}</b></p>`;
  }
  // An operator may know of a fault that the measurements do not show.
  if (incidents.some(isOngoing)) {
    return `<p data-mark="quiet"><b>By our measurements, no service is failing or degraded</b></p>`;
  }
  const quiet = isAt(ServiceCondition.QUIET).length === services.length;
  return quiet ? `<p data-mark="quiet"><b>No recent calls</b></p>` : operational(services);
}

// A source may fail while calls do not, because many are served from the cache or from a mirror.
function operational(services: readonly ServiceStatus[]): string {
  const sources = services.flatMap(({ service, source }) =>
    source?.condition === ServiceCondition.FAILING || source?.condition === ServiceCondition.DEGRADED
      ? [`${SERVICES[service as ServiceName].title} ${CONDITIONS[source.condition][1].toLowerCase()}`]
      : [],
  );
  if (sources.length === 0) {
    return `<p data-mark="good"><b>All services operational</b></p>`;
  }
  const count = sources.length === 1 ? "one data source has" : `${sources.length} data sources have`;
  return `<p data-mark="fair"><b>All services operational; ${count} problems</b></p><p>Data sources: ${escapedHtml(sources.join(", "))}.</p>`;
}

export function statusHtml({ services, fromDay, measuredAt, incidents }: GetStatusResponse): string {
  const atMs = Number(measuredAt?.seconds ?? 0n) * MS_PER_SECOND;
  const read = `<p>Last measured <time datetime="${new Date(atMs).toISOString()}">${timeText(atMs)}</time>.</p>`;
  const measured = summary(services, incidents) + read + services.map((one) => serviceHtml(one, fromDay)).join("");
  return openIncidentsHtml(incidents) + measured + pastIncidentsHtml(incidents);
}

/** What the page shows while no status can be read. */
export const STATUS_UNKNOWN = '<p data-mark="quiet"><b>The measurements cannot be read at the moment</b></p>';
