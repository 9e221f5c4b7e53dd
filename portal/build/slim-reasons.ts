// Removes from the table of reasons what pages do not use (api/reason.ts): the codes, the statuses, and the texts, which are on each
// reason's own page.
import type { Plugin } from "vite";
import { REASONS } from "../../src/problem/reason.ts";

const TABLE = /\/src\/problem\/reason\.ts$/;

/** The plugin. For what browsers load; documents are rendered with the whole table. */
export const slimReasons: Plugin = {
  name: "slim-reasons",
  load: (id) => (TABLE.test(id) ? `export const REASONS = ${JSON.stringify(slim())};` : undefined),
};

const slim = () => Object.fromEntries(Object.entries(REASONS).map(([reason, { fault }]) => [reason, { fault }]));
