// Incidents and maintenance that operators describe.
import { describe, expect, test } from "vitest";
import { INCIDENT_UPDATES_MAX, INCIDENTS_MAX, incidentStateAt, type NewIncident } from "../../../src/store/incident-records.ts";
import { StoreConflict } from "../../../src/store/store-errors.ts";
import { nowMs, type Openers } from "./samples.ts";

const DAY_MS = 86_400_000;

const incident = (change: Partial<NewIncident> = {}): NewIncident => ({
  ...{ id: "i-1", title: "Searches are slow", impact: "degraded", services: ["radio"], beginsAtMs: nowMs - 60_000, endsAtMs: null },
  update: { state: "investigating", text: "We look into it." },
  ...change,
});

const maintenance = (change: Partial<NewIncident> = {}): NewIncident =>
  incident({
    ...{ id: "m-1", title: "New database", impact: "maintenance", services: [], beginsAtMs: nowMs + 1000, endsAtMs: nowMs + 5000 },
    update: { state: "scheduled", text: "Calls may fail for a minute." },
    ...change,
  });

/** The tests that every store passes. */
export function incidentsSuite({ openEmpty: open }: Openers): void {
  describe("Incidents", () => {
    test("are kept with their updates, the latest first", async () => {
      const { store, clock } = await open();
      expect(await store.incidents()).toEqual([]);
      const { update, ...given } = incident();
      const created = { ...given, createdAtMs: nowMs, updates: [{ ...update, number: 1, atMs: nowMs }] };
      expect(await store.createIncident(incident())).toEqual(created);
      await store.createIncident(maintenance());
      clock.advance(1000);
      const identified = { state: "identified", text: "A mirror\nis down." } as const;
      const updates = [{ ...identified, number: 2, atMs: nowMs + 1000 }, ...created.updates];
      expect(await store.addIncidentUpdate("i-1", identified)).toEqual({ ...created, updates });
      expect((await store.incidents()).map(({ id }) => id)).toEqual(["m-1", "i-1"]);
      expect(await store.findIncident("i-1")).toEqual({ ...created, updates });
      expect(await store.findIncident("i-2")).toBeUndefined();
    });

    test("end when they are resolved, and are open again after another update", async () => {
      const { store, clock } = await open();
      await store.createIncident(incident());
      clock.advance(1000);
      const { endsAtMs } = await store.addIncidentUpdate("i-1", { state: "resolved", text: "It is over." });
      expect(endsAtMs).toBe(nowMs + 1000);
      clock.advance(1000);
      // Something that was learnt later does not move the end.
      expect((await store.addIncidentUpdate("i-1", { state: "resolved", text: "It was a mirror." })).endsAtMs).toBe(nowMs + 1000);
      expect((await store.addIncidentUpdate("i-1", { state: "monitoring", text: "Again." })).endsAtMs).toBeNull();
    });

    test("that are maintenance begin and end at their times, or earlier if an operator says so", async () => {
      const { store } = await open();
      const planned = await store.createIncident(maintenance());
      const at = (ms: number) => incidentStateAt(planned, nowMs + ms);
      expect([at(0), at(999), at(1000), at(4999), at(5000)]).toEqual([
        "scheduled",
        "scheduled",
        "in_progress",
        "in_progress",
        "completed",
      ]);
      const started = await store.addIncidentUpdate("m-1", { state: "in_progress", text: "We begin early." });
      expect([started.beginsAtMs, started.endsAtMs]).toEqual([nowMs, nowMs + 5000]);
      await store.createIncident(maintenance({ id: "m-2" }));
      const called = await store.addIncidentUpdate("m-2", { state: "completed", text: "Called off." });
      expect([called.beginsAtMs, called.endsAtMs, incidentStateAt(called, nowMs)]).toEqual([nowMs, nowMs, "completed"]);
    });

    test("can be corrected and deleted, and the audit trail says who did it", async () => {
      const { store } = await open();
      const by = store.by({ kind: "signed_in_operator", name: "op-1", origin: "::1" });
      await by.createIncident(incident());
      await by.addIncidentUpdate("i-1", { state: "identified", text: "A mirror is down." });
      const changed = await by.updateIncident("i-1", { title: "Nothing works", impact: "major_outage", services: [] });
      expect(changed).toMatchObject({ title: "Nothing works", impact: "major_outage", services: [], beginsAtMs: nowMs - 60_000 });
      await by.updateIncident("i-1", { beginsAtMs: nowMs - 5000 });
      const edited = await by.editIncidentUpdate("i-1", 1, "We are looking into it.");
      expect(edited.updates.map(({ number, state, text }) => [number, state, text])).toEqual([
        [2, "identified", "A mirror is down."],
        [1, "investigating", "We are looking into it."],
      ]);
      expect(await by.findIncident("i-1")).toEqual(edited);
      expect(await by.findIncident("i-1")).toMatchObject({ title: "Nothing works", beginsAtMs: nowMs - 5000 });
      await by.deleteIncident("i-1");
      expect(await store.incidents()).toEqual([]);
      const { entries } = await store.auditPage({ limit: 10 });
      expect(entries.map(({ action, actor, accountId, subject }) => [action, actor.name, accountId, subject])).toEqual(
        ["delete", "edit_update", "update", "update", "add_update", "create"].map((action) => [
          `incident.${action}`,
          "op-1",
          null,
          "i-1",
        ]),
      );
      expect(entries[4]?.details).toEqual({
        ...{ title: "Searches are slow", impact: "degraded", state: "identified", services: ["radio"] },
      });
    });

    test("that do not exist cannot be changed", async () => {
      const { store } = await open();
      const message = "There is no incident with the ID i-9.";
      await expect(store.addIncidentUpdate("i-9", { state: "resolved", text: "x" })).rejects.toThrow(message);
      await expect(store.updateIncident("i-9", { title: "x" })).rejects.toThrow(message);
      await expect(store.editIncidentUpdate("i-9", 1, "x")).rejects.toThrow(message);
      await expect(store.deleteIncident("i-9")).rejects.toThrow(StoreConflict);
      expect((await store.auditPage({ limit: 10 })).entries).toEqual([]);
    });

    test("do not change if an update that is edited does not exist", async () => {
      const { store } = await open();
      const created = await store.createIncident(incident());
      await expect(store.editIncidentUpdate("i-1", 2, "x")).rejects.toThrow("The incident i-1 has no update 2.");
      expect(await store.findIncident("i-1")).toEqual(created);
      expect((await store.auditPage({ limit: 10 })).entries.map(({ action }) => action)).toEqual(["incident.create"]);
    });

    test("are bounded, and so are their updates", async () => {
      const { store } = await open();
      for (let made = 0; made < INCIDENTS_MAX; made++) {
        await store.createIncident(incident({ id: `i-${made}` }));
      }
      await expect(store.createIncident(incident({ id: "more" }))).rejects.toThrow(
        "There are 200 incidents, which is the maximum.",
      );
      for (let made = 1; made < INCIDENT_UPDATES_MAX; made++) {
        await store.addIncidentUpdate("i-1", { state: "monitoring", text: "Still." });
      }
      const late = store.addIncidentUpdate("i-1", { state: "resolved", text: "Over." });
      await expect(late).rejects.toThrow("The incident has 50 updates, which is the maximum.");
      expect((await store.findIncident("i-1"))?.endsAtMs).toBeNull();
    });

    test("are deleted 90 days after they have ended", async () => {
      const { store, clock } = await open();
      await store.createIncident(incident());
      await store.createIncident(maintenance());
      await store.createIncident(incident({ id: "open", beginsAtMs: nowMs - 400 * DAY_MS }));
      await store.addIncidentUpdate("i-1", { state: "resolved", text: "Over." });
      clock.advance(90 * DAY_MS);
      expect((await store.incidents()).map(({ id }) => id)).toEqual(["m-1", "i-1", "open"]);
      clock.advance(1);
      expect((await store.incidents()).map(({ id }) => id)).toEqual(["m-1", "open"]);
      expect(await store.deleteExpired()).toBe(false);
      expect(await store.findIncident("i-1")).toBeUndefined();
      expect((await store.findIncident("open"))?.updates).toHaveLength(1);
    });
  });
}
