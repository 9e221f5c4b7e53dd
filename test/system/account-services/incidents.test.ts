// Operators announce incidents and maintenance, in every protocol. Whole responses are compared.
import { expect, onTestFinished, test } from "vitest";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, type Client, rest } from "./clients.ts";
import { type Headers, METHODS, Person, placeOf } from "./person.ts";
import { A_TIME, AN_ID, badInput } from "./responses.ts";

const OPERATOR = OperatorService.method;
const NO_ID = "00000000-0000-4000-8000-000000000000";
const UNKNOWN = { reason: "NOT_FOUND", message: `There is no incident with the ID ${NO_ID}.` } as const;

interface Incident {
  readonly id: string;
}

/** A server with an operator, whom somebody follows with a client. */
async function openScene(client: Client) {
  const gateway: Gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const first = await new Person(placeOf(gateway), rest).begin("ops@example.com");
  const { account } = await new Person(placeOf(gateway), rest).take<{ account: Incident }>(METHODS.getAccount, {}, first);
  await gateway.store.setOperator(account.id, true);
  const operator: Headers = await new Person(placeOf(gateway), rest).signIn("ops@example.com");
  const person = new Person(placeOf(gateway), client);
  const statusNow = () =>
    person.take<{ incidents: readonly unknown[]; services: readonly unknown[] }>(METHODS.getStatus, { only_open_incidents: true });
  return {
    ...{ operator, person, clock: gateway.clock },
    // What everybody sees after some time. Servers read it twice a minute at most. An idle connection would be closed.
    async seenAfter(ms = 30_000): Promise<readonly unknown[]> {
      for (let passed = 0; passed < ms; passed += 5000) {
        gateway.clock.advance(5000);
        await statusNow();
      }
      const { incidents, services } = await statusNow();
      expect(services).toEqual([]);
      return incidents;
    },
  };
}

test.each(CLIENTS)("an incident is published, updated, resolved, corrected and deleted, by $name", async (client) => {
  const { person, operator, seenAfter } = await openScene(client);
  const written = { number: 1, at: A_TIME, state: "investigating", text: "A mirror\ndoes not respond." };
  const made = {
    ...{ id: AN_ID, title: "Searches are slow", impact: "degraded", state: written.state, services: ["radio"] },
    ...{ begins_at: A_TIME, created_at: A_TIME, updates: [written] },
  };
  const given = { title: " Searches are slow ", impact: made.impact, services: ["radio"], text: `${written.text}\n` };
  const { incident } = await person.get<{ incident: Incident }>(OPERATOR.createIncident, given, { incident: made }, operator);
  const id = { incident_id: incident.id };
  const open = { ...made, id: incident.id };
  expect(await seenAfter()).toEqual([open]);
  await person.get(OPERATOR.listIncidents, {}, { total: 1, results: [open] }, operator);

  const resolved = { number: 2, at: A_TIME, state: "resolved", text: "It is back." };
  const over = { ...open, state: resolved.state, ends_at: A_TIME, updates: [resolved, written] };
  const end = { ...id, new_update: { state: resolved.state, text: resolved.text } };
  await person.get(OPERATOR.updateIncident, end, { incident: over }, operator);
  expect(await seenAfter()).toEqual([]);
  const learnt = { ...resolved, number: 3, text: "It was the network." };
  await person.take(OPERATOR.updateIncident, { ...id, new_update: { text: learnt.text } }, operator);
  // Its time and state stay as they are.
  const rewritten = { ...written, text: "A mirror does not respond." };
  const known = { ...over, updates: [learnt, resolved, rewritten] };
  const edit = { ...id, corrected_update: { number: 1, text: ` ${rewritten.text}\n` } };
  await person.get(OPERATOR.updateIncident, edit, { incident: known }, operator);

  const change = { title: "Nothing was found", impact: "major_outage", services: [] };
  const corrected = { ...known, ...change };
  const correction = { ...change, services: {} };
  await person.get(OPERATOR.updateIncident, { ...id, correction }, { incident: corrected }, operator);
  await seenAfter();
  const status = await person.take<{ incidents: readonly unknown[]; services: readonly unknown[] }>(METHODS.getStatus, {});
  expect([status.incidents, status.services.length]).toEqual([[corrected], 5]);
  await person.get(OPERATOR.deleteIncident, id, {}, operator);
  await person.get(OPERATOR.listIncidents, {}, { total: 0, results: [] }, operator);
});

test.each(CLIENTS)("maintenance is announced, and begins and ends automatically, by $name", async (client) => {
  const { person, operator, clock, seenAfter } = await openScene(client);
  const at = (ms: number): string => new Date(clock.nowMs() + ms).toISOString();
  const given = {
    ...{ title: "New database", impact: "maintenance", text: "Calls may fail for a minute." },
    ...{ begins_at: at(100_000), ends_at: at(200_000) },
  };
  const scheduled = { number: 1, at: A_TIME, state: "scheduled", text: given.text };
  const made = {
    ...{ id: AN_ID, title: given.title, impact: given.impact, state: scheduled.state, services: [] },
    ...{ begins_at: A_TIME, ends_at: A_TIME, created_at: A_TIME, updates: [scheduled] },
  };
  const { incident } = await person.get<{ incident: Incident }>(OPERATOR.createIncident, given, { incident: made }, operator);
  expect(await seenAfter()).toEqual([made]);
  expect(await seenAfter(60_000)).toEqual([{ ...made, state: "in_progress" }]);
  expect(await seenAfter(100_000)).toEqual([]);
  const past = { ...made, id: incident.id, state: "completed" };
  await person.get(OPERATOR.listIncidents, { limit: 1 }, { total: 1, results: [past] }, operator);
  const over = badInput({ field: "new_update.state", description: "must be completed, because the maintenance is over" });
  const late = { incident_id: incident.id, new_update: { state: "in_progress", text: "Not quite." } };
  await person.fail(OPERATOR.updateIncident, late, over, operator);
  await person.take(OPERATOR.deleteIncident, { incident_id: incident.id }, operator);
});

const TOO_EARLY = "must be at most 30 days ago, and not in the future";
const WHEN = "is required for maintenance: from 30 days ago to a year from now";
const UNTIL = "must be in the future, after begins_at, and at most 7 days after it";

test.each<{ given: Record<string, unknown>; field: string; description: string }>([
  { given: { title: " \n" }, field: "title", description: "must be 1 to 100 characters without control characters" },
  { given: { title: " \u200b" }, field: "title", description: "must not be blank" },
  { given: { title: "a\u202eb" }, field: "title", description: "must be 1 to 100 characters without control characters" },
  {
    given: { text: "a\u0000" },
    field: "text",
    description: "must be 1 to 1000 characters without control characters, except line breaks",
  },
  {
    given: { state: "scheduled" },
    field: "state",
    description: "must be investigating, identified, monitoring or resolved",
  },
  { given: { begins_at: "2026-11-22T12:00:00Z" }, field: "begins_at", description: TOO_EARLY },
  { given: { begins_at: "2026-10-21T12:00:00Z" }, field: "begins_at", description: TOO_EARLY },
  {
    given: { ends_at: "2026-11-22T12:00:00Z" },
    field: "ends_at",
    description: "is only for maintenance: an incident ends when it is resolved",
  },
  { given: { impact: "maintenance", ends_at: "2026-12-01T12:00:00Z" }, field: "begins_at", description: WHEN },
  { given: { impact: "maintenance", begins_at: "2026-12-01T12:00:00Z" }, field: "ends_at", description: UNTIL },
  {
    given: { impact: "maintenance", begins_at: "2026-12-01T12:00:00Z", ends_at: "2026-12-09T12:00:00Z" },
    field: "ends_at",
    description: UNTIL,
  },
  {
    given: {
      ...{ impact: "maintenance", begins_at: "2026-12-01T12:00:00Z", ends_at: "2026-12-01T13:00:00Z" },
      state: "identified",
    },
    field: "state",
    description: "must be omitted for maintenance: its state follows from begins_at and ends_at",
  },
])("an incident with $given is refused: $field $description", async ({ given, field, description }) => {
  const valid = { title: "Slow", impact: "degraded", text: "Soon." };
  const { person, operator } = await openScene(rest);
  await person.fail(OPERATOR.createIncident, { ...valid, ...given } as never, badInput({ field, description }), operator);
});

test("what does not exist is named, and an incident does not become maintenance", async () => {
  const { person, operator } = await openScene(rest);
  const id = { incident_id: NO_ID };
  for (const what of [{ correction: {} }, { new_update: { text: "x" } }, { corrected_update: { number: 1, text: "x" } }]) {
    await person.fail(OPERATOR.updateIncident, { ...id, ...what }, UNKNOWN, operator);
  }
  await person.fail(OPERATOR.deleteIncident, id, UNKNOWN, operator);
  const given = { title: "Slow", impact: "degraded", text: "Soon." };
  const { incident } = await person.take<{ incident: Incident }>(OPERATOR.createIncident, given, operator);
  const description = "cannot be changed to maintenance; create a maintenance entry instead";
  const changed = (what: object) => ({ incident_id: incident.id, ...what });
  const change = changed({ correction: { impact: "maintenance" } });
  await person.fail(OPERATOR.updateIncident, change, badInput({ field: "correction.impact", description }), operator);
  const second = { number: 2, text: "x" };
  const message = `The incident ${incident.id} has no update 2: it has only update 1.`;
  const notFound = { reason: "NOT_FOUND", message } as const;
  await person.fail(OPERATOR.updateIncident, changed({ corrected_update: second }), notFound, operator);
  const outside = badInput({ field: "corrected_update.number", description: "must be a whole number from 1 to 50, not 51" });
  await person.fail(OPERATOR.updateIncident, changed({ corrected_update: { ...second, number: 51 } }), outside, operator);
  const unseen = "must be 1 to 1000 characters without control characters, except line breaks";
  for (const [part, what] of Object.entries({ new_update: {}, corrected_update: { number: 1 } })) {
    const garbled = changed({ [part]: { ...what, text: "a\u0000" } });
    await person.fail(OPERATOR.updateIncident, garbled, badInput({ field: `${part}.text`, description: unseen }), operator);
  }
});
