// What operators can do with incidents, and its checks.
import type { ServiceName } from "../catalogue/service-names.ts";
import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import { CONTROL_CHARACTERS, isBlank, NOT_BLANK } from "../runtime/control-characters.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { hasEnded, type Incident, type IncidentImpact, type IncidentState, incidentStateAt } from "../store/incident-records.ts";
import type { AdminStore } from "../store/store.ts";

const DAY_MS = 86_400_000;
const BEGAN_AGO_MS_MAX = 30 * DAY_MS;
const BEGINS_IN_MS_MAX = 365 * DAY_MS;
const MAINTENANCE_MS_MAX = 7 * DAY_MS;
const ORDINARY_CHARACTER = `[^${CONTROL_CHARACTERS}]`;
const TITLE_SHAPE = new RegExp(`^${ORDINARY_CHARACTER}{1,100}$`, "u");
const TEXT_SHAPE = new RegExp(`^(?:\\n|${ORDINARY_CHARACTER}){1,1000}$`, "u");
const INCIDENT_STATES: readonly IncidentState[] = ["investigating", "identified", "monitoring", "resolved"];
const MAINTENANCE_STATES: readonly IncidentState[] = ["in_progress", "completed"];

interface IncidentOptions {
  readonly store: AdminStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "uuid">;
}

/** What an operator enters for a new incident. */
export interface IncidentInput {
  readonly title: string;
  readonly impact: IncidentImpact;
  /** Empty for all. */
  readonly services: readonly ServiceName[];
  readonly text: string;
  readonly state?: IncidentState | undefined;
  readonly beginsAtMs?: number | undefined;
  readonly endsAtMs?: number | undefined;
}

/** The fields that an operator corrects. A field that is left out stays as it is. */
export type IncidentCorrection = {
  readonly [Name in Exclude<keyof IncidentInput, "text" | "state">]?: IncidentInput[Name] | undefined;
};

/** Rejects with a Failure if the input is wrong, and with a StoreConflict if there are too many incidents. */
export async function createIncident({ store, clock, randomness }: IncidentOptions, input: IncidentInput): Promise<Incident> {
  const { impact, services } = input;
  const nowMs = clock.nowMs();
  const { beginsAtMs = impact === "maintenance" ? undefined : nowMs, endsAtMs, state } = input;
  const title = input.title.trim();
  const text = input.text.trim();
  refuse([
    ...titleFaults(title),
    ...textFaults(text),
    ...newStateFaults(impact, state),
    ...timeFaults({ impact, beginsAtMs, endsAtMs }, nowMs),
  ]);
  const firstState =
    impact === "maintenance" ? ((beginsAtMs as number) <= nowMs ? "in_progress" : "scheduled") : (state ?? "investigating");
  return store.createIncident({
    ...{ id: randomness.uuid(), title, impact, services, beginsAtMs: beginsAtMs as number },
    endsAtMs: firstState === "resolved" ? nowMs : (endsAtMs ?? null),
    update: { state: firstState, text },
  });
}

/** Rejects as `createIncident` does, and with a StoreConflict if the incident was deleted or has too many updates. */
export async function addIncidentUpdate(
  { store, clock }: Pick<IncidentOptions, "store" | "clock">,
  incident: Incident,
  input: { readonly state?: IncidentState | undefined; readonly text: string },
): Promise<Incident> {
  const text = input.text.trim();
  const nowMs = clock.nowMs();
  const allowed = incident.impact === "maintenance" ? MAINTENANCE_STATES : INCIDENT_STATES;
  const isOver = incident.impact === "maintenance" && hasEnded(incident, nowMs);
  const isWrong = input.state !== undefined && (!allowed.includes(input.state) || (isOver && input.state !== "completed"));
  const permitted = isOver ? "completed, because the maintenance is over" : listed(allowed);
  refuse([...textFaults(text), ...(isWrong ? [{ field: "state", description: `must be ${permitted}` }] : [])], "new_update.");
  return store.addIncidentUpdate(incident.id, { state: input.state ?? incidentStateAt(incident, nowMs), text });
}

/**
 * Corrects the text of the update with this number. Rejects as `createIncident` does, with a Failure if there is no such update, and with a
 * StoreConflict if the incident was deleted.
 */
export async function editIncidentUpdate(
  { store }: Pick<IncidentOptions, "store">,
  incident: Incident,
  input: { readonly number: number; readonly text: string },
): Promise<Incident> {
  const text = input.text.trim();
  refuse(textFaults(text), "corrected_update.");
  if (!incident.updates.some(({ number }) => number === input.number)) {
    throw new Failure({ reason: "NOT_FOUND", message: noUpdate(incident, input.number) });
  }
  return store.editIncidentUpdate(incident.id, input.number, text);
}

/** The message for an update that the incident does not have. It says which updates there are. */
function noUpdate({ id, updates }: Incident, number: number): string {
  const known = updates.length === 1 ? "only update 1" : `updates 1 to ${updates.length}`;
  return `The incident ${id} has no update ${number}: it has ${known}.`;
}

/** Rejects as `createIncident` does, and with a StoreConflict if the incident was deleted. */
export async function updateIncident(
  { store, clock }: Pick<IncidentOptions, "store" | "clock">,
  incident: Incident,
  { title: given, impact, services, beginsAtMs, endsAtMs }: IncidentCorrection,
): Promise<Incident> {
  const title = given?.trim();
  const isMaintenance = incident.impact === "maintenance";
  const changesKind = impact !== undefined && (impact === "maintenance") !== isMaintenance;
  const kind = isMaintenance
    ? "cannot be changed for maintenance"
    : "cannot be changed to maintenance; create a maintenance entry instead";
  const changesTimes = beginsAtMs !== undefined || endsAtMs !== undefined;
  const times = {
    impact: incident.impact,
    beginsAtMs: beginsAtMs ?? incident.beginsAtMs,
    endsAtMs: endsAtMs ?? (isMaintenance ? (incident.endsAtMs ?? undefined) : undefined),
  };
  refuse(
    [
      ...(title === undefined ? [] : titleFaults(title)),
      ...(changesKind ? [{ field: "impact", description: kind }] : []),
      ...(changesTimes ? timeFaults(times, clock.nowMs()) : []),
    ],
    "correction.",
  );
  return store.updateIncident(incident.id, {
    ...(title !== undefined && { title }),
    ...(impact !== undefined && { impact }),
    ...(services !== undefined && { services }),
    ...(beginsAtMs !== undefined && { beginsAtMs }),
    ...(endsAtMs !== undefined && { endsAtMs }),
  });
}

const titleFaults = (title: string): Violation[] =>
  textFaultsOf("title", title, TITLE_SHAPE, "must be 1 to 100 characters without control characters");

const textFaults = (text: string): Violation[] =>
  textFaultsOf("text", text, TEXT_SHAPE, "must be 1 to 1000 characters without control characters, except line breaks");

function textFaultsOf(field: string, text: string, shape: RegExp, mustBe: string): Violation[] {
  const description = !shape.test(text) ? mustBe : isBlank(text) ? NOT_BLANK : undefined;
  return description === undefined ? [] : [{ field, description }];
}

function newStateFaults(impact: IncidentImpact, state: IncidentState | undefined): Violation[] {
  if (state === undefined) {
    return [];
  }
  if (impact === "maintenance") {
    return [{ field: "state", description: "must be omitted for maintenance: its state follows from begins_at and ends_at" }];
  }
  return INCIDENT_STATES.includes(state) ? [] : [{ field: "state", description: `must be ${listed(INCIDENT_STATES)}` }];
}

function timeFaults(
  { impact, beginsAtMs, endsAtMs }: Pick<IncidentInput, "impact" | "beginsAtMs" | "endsAtMs">,
  nowMs: number,
): Violation[] {
  if (impact !== "maintenance") {
    return [
      ...(beginsAtMs !== undefined && (beginsAtMs > nowMs || beginsAtMs < nowMs - BEGAN_AGO_MS_MAX)
        ? [{ field: "begins_at", description: "must be at most 30 days ago, and not in the future" }]
        : []),
      ...(endsAtMs === undefined
        ? []
        : [{ field: "ends_at", description: "is only for maintenance: an incident ends when it is resolved" }]),
    ];
  }
  const isBeginWrong = beginsAtMs === undefined || beginsAtMs > nowMs + BEGINS_IN_MS_MAX || beginsAtMs < nowMs - BEGAN_AGO_MS_MAX;
  const isLate = endsAtMs === undefined || endsAtMs <= nowMs || endsAtMs <= (beginsAtMs ?? 0);
  return [
    ...(isBeginWrong
      ? [{ field: "begins_at", description: "is required for maintenance: from 30 days ago to a year from now" }]
      : []),
    ...(isLate || endsAtMs > (beginsAtMs ?? endsAtMs) + MAINTENANCE_MS_MAX
      ? [{ field: "ends_at", description: "must be in the future, after begins_at, and at most 7 days after it" }]
      : []),
  ];
}

const listed = (states: readonly string[]): string => `${states.slice(0, -1).join(", ")} or ${states.at(-1)}`;

// `within` is the path of the message that has the fields.
function refuse(violations: readonly Violation[], within = ""): void {
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations.map((violation) => ({ ...violation, field: `${within}${violation.field}` }))));
  }
}
