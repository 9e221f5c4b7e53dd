import { describe, expect, test } from "vitest";
import { createCommandLine, nthId, printed, refused } from "./command-line.ts";

const CREATE = "incident create --title Slow --impact degraded --services radio --text Soon.";

describe("quintet incident", () => {
  test("creates, updates, edits and resolves an incident, and lists it", async () => {
    const { run, clock } = createCommandLine();
    expect(await run("incident list")).toEqual(printed("There are no incidents; `quintet incident create` creates one.\n"));
    expect(await run(CREATE)).toEqual(printed(`“Slow” will be on /status within a minute. Its ID is ${nthId(1)}.\n`));
    clock.advance(60_000);
    expect(await run(`incident update ${nthId(1)} --state identified --text Found.`)).toEqual(
      printed(`“Slow” is now: identified. Its ID is ${nthId(1)}.\n`),
    );
    await run(`incident edit ${nthId(1)} --title Broken --impact major_outage --services all --begins 2026-11-21T11:00Z`);
    expect((await run("incident list")).out).toBe(
      [
        "TITLE   IMPACT        STATE       SERVICES  BEGINS            ENDS  ID",
        `Broken  major outage  identified  all       2026-11-21 11:00  -     ${nthId(1)}`,
        "",
      ].join("\n"),
    );
    await run(`incident resolve ${nthId(1)} --text Over.`);
    expect(await run(`incident edit-update ${nthId(1)} 2 --text Found-it.`)).toEqual(
      printed(`“Broken” was corrected. Its ID is ${nthId(1)}.\n`),
    );
    const { incidents } = JSON.parse((await run("incident list --json")).out);
    expect(incidents).toEqual([
      {
        ...{ id: nthId(1), title: "Broken", impact: "major_outage", state: "resolved", services: null },
        ...{ begins_at: "2026-11-21T11:00:00.000Z", ends_at: "2026-11-21T12:01:00.000Z", created_at: "2026-11-21T12:00:00.000Z" },
        updates: [
          { number: 3, at: "2026-11-21T12:01:00.000Z", state: "resolved", text: "Over." },
          { number: 2, at: "2026-11-21T12:01:00.000Z", state: "identified", text: "Found-it." },
          { number: 1, at: "2026-11-21T12:00:00.000Z", state: "investigating", text: "Soon." },
        ],
      },
    ]);
    expect((await run("audit --action incident")).out).toContain("incident.add_update");
    expect(await run(`incident delete ${nthId(1)}`)).toEqual(printed("“Broken” was deleted.\n"));
  });

  test("schedules maintenance, which begins and ends automatically, or when it is resolved", async () => {
    const { run, clock } = createCommandLine();
    await run("incident schedule --title Database --begins 1h --ends 2h --text Short.");
    const state = async (): Promise<string> => JSON.parse((await run("incident list --json")).out).incidents[0].state;
    expect(await state()).toBe("scheduled");
    clock.advance(3_600_000);
    expect(await state()).toBe("in_progress");
    expect((await run(`incident resolve ${nthId(1)} --text Done.`)).out).toContain("is over");
    expect(await state()).toBe("completed");
  });

  test("says what is wrong", async () => {
    const { run } = createCommandLine();
    await run(CREATE);
    expect(await run("incident resolve i-9 --text Over.")).toEqual(
      refused("notFound", "There is no incident with the ID i-9; `quintet incident list` shows them."),
    );
    expect(await run(`incident edit ${nthId(1)}`)).toEqual(refused("usage", "Say what to correct, such as --impact major_outage."));
    expect(await run(`incident edit ${nthId(1)} --ends 5d`)).toEqual(
      refused("usage", "--ends is only for maintenance: an incident ends when it is resolved"),
    );
    expect(await run("incident schedule --title Database --begins 2h --ends 1h --text Short.")).toEqual(
      refused("usage", "--ends must be in the future, after begins_at, and at most 7 days after it"),
    );
    expect(await run(`incident edit-update ${nthId(1)} 2 --text Over.`)).toEqual(
      refused("notFound", `The incident ${nthId(1)} has no update 2: it has only update 1.`),
    );
    expect(await run(`incident update ${nthId(1)} --state completed --text Over.`)).toEqual(
      refused("usage", "--state must be investigating, identified, monitoring or resolved"),
    );
  });
});
