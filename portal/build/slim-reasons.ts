// Removes what pages do not use (api/reason.ts) from the table of reasons: the reasons for which they only show the message, and the codes,
// statuses and texts of the other reasons, which are on each reason's own page.
import type { Plugin } from "vite";
import { REASONS } from "../../src/problem/reason.ts";
import type { Fault } from "../../src/problem/reason-rule.ts";
import type { PageFault } from "../api/reason.ts";

const TABLE = /\/src\/problem\/reason\.ts$/;

/** The plugin for the code that browsers load. Documents are rendered with the whole table. */
export const slimReasons: Plugin = {
  name: "slim-reasons",
  load: (id) => (TABLE.test(id) ? `export const REASONS = ${JSON.stringify(slim())};` : undefined),
};

const NOT_LOADED: readonly Fault[] = ["request", "upstream", "server"] satisfies Exclude<Fault, PageFault>[];

const slim = () =>
  Object.fromEntries(
    Object.entries(REASONS)
      .filter(([, { fault }]) => !NOT_LOADED.includes(fault))
      .map(([reason, { fault, missing }]) => [reason, { fault, missing }]),
  );
