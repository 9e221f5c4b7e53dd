// Puts values into the code that browsers load, instead of what they are computed from: the requests of the front page, and first calls.
import type { Plugin } from "vite";
import { FIRST_CALLS } from "../content/first-calls.ts";
import { FRONT_REQUESTS } from "../front/requests.ts";

const MODULES: readonly (readonly [path: RegExp, values: Readonly<Record<string, unknown>>])[] = [
  [/\/portal\/front\/requests\.ts$/, { FRONT_REQUESTS }],
  [/\/portal\/content\/first-calls\.ts$/, { FIRST_CALLS }],
];

/** The plugin for the code that browsers load. */
export const computedModules: Plugin = {
  name: "computed-modules",
  load(id) {
    const [, values] = MODULES.find(([path]) => path.test(id)) ?? [];
    return (
      values &&
      Object.entries(values)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join("\n")
    );
  },
};
