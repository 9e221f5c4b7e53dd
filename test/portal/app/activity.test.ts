// The page of the account's activity: its sentences, and the filters in its URL.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ActivityActorKind } from "../../../gen/quintet/account/v1/activity_pb.js";
import { activityFiltersOf, activityPath, activityRequestOf, SUBJECTS } from "../../../portal/app/activity/activity-filters.ts";
import { activitySentence } from "../../../portal/app/activity/activity-sentence.ts";
import { actionsNamed } from "../../../src/account/audit-actions.ts";
import { AUDIT_ACTIONS } from "../../../src/store/audit-records.ts";

const EMAIL = "ada@example.com";
const { OWNER, OPERATOR, VISITOR, SERVER, UNSPECIFIED } = ActivityActorKind;

test.each([
  [{ kind: OWNER, email: EMAIL }, "You changed the password."],
  [{ kind: OWNER }, "You changed the password."],
  [{ kind: OWNER, email: "bob@example.com" }, "bob@example.com changed the password."],
  [{ kind: OPERATOR }, "An operator changed the password."],
  [{ kind: SERVER }, "The server changed the password."],
  [{ kind: VISITOR }, "Someone changed the password."],
  [{ kind: UNSPECIFIED }, "Someone changed the password."],
])("the entry %o reads: %s", (actor, sentence) => {
  const entry = {
    action: "account.change_password",
    details: [],
    actor: { $typeName: "quintet.account.v1.ActivityActor", ...actor },
  } as const;
  expect(activitySentence(entry, EMAIL)).toBe(sentence);
});

test.each([
  [OWNER, "You subscribed to Farkle on the Free plan."],
  [OPERATOR, "An operator subscribed you to Farkle on the Free plan."],
  [SERVER, "The server subscribed you to Farkle on the Free plan."],
])("a subscription made by the actor %o reads: %s", (kind, sentence) => {
  const details = [
    { name: "service", value: "farkle" },
    { name: "plan", value: "free" },
    { name: "state", value: "active" },
  ];
  const actor = { $typeName: "quintet.account.v1.ActivityActor", kind } as const;
  expect(activitySentence({ action: "subscription.create", details, actor }, EMAIL)).toBe(sentence);
});

describe("the filters", () => {
  test("are the same after they have been written to a URL and read back", () => {
    const filters = { about: "keys", from: "2026-11-01", to: "2026-11-21", shortLived: "shown", page: "17" };
    const path = activityPath(filters);
    expect(path).toBe("/app/activity?about=keys&from=2026-11-01&to=2026-11-21&shortLived=shown&page=17");
    expect(activityFiltersOf(Object.fromEntries(new URL(path, "http://localhost").searchParams))).toEqual(filters);
  });

  test("leave out invalid values in a URL", () => {
    const none = { about: "", from: "", to: "", shortLived: "", page: "" };
    expect(activityFiltersOf({ about: "hidden", from: "soon", to: "2026", shortLived: "1", page: "last" })).toEqual(none);
    expect(activityPath(none)).toBe("/app/activity");
  });

  test("request whole days, and the chosen page", () => {
    const { since, until, ...rest } = activityRequestOf(activityFiltersOf({ from: "2026-11-01", to: "2026-11-01", page: "17" }));
    const hours = since && until && (timestampDate(until).getTime() - timestampDate(since).getTime()) / 3_600_000;
    expect(hours).toBe(24);
    expect(rest).toEqual({ pageSize: 50, pageToken: "17", actions: [], includeShortLivedKeys: false });
  });

  test("offer only actions that are recorded, and nearly all of them", () => {
    const named = SUBJECTS.flatMap(([about]) => activityRequestOf(activityFiltersOf({ about })).actions);
    expect(named.filter((name) => actionsNamed(name).length === 0)).toEqual([]);
    const found = new Set(named.flatMap(actionsNamed));
    // Incidents, the plans and the database belong to no account.
    const ofAccounts = AUDIT_ACTIONS.filter((action) => !/^(?:incident|plans|database)\./.test(action));
    expect(ofAccounts.filter((action) => !found.has(action))).toEqual([
      "account.create",
      "account.suspend",
      "account.resume",
      "account.appoint_operator",
      "account.dismiss_operator",
      "account.keep_parameters",
      "account.drop_parameters",
      "account.delete",
    ]);
  });
});
