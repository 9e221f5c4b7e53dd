// Removes what pages do not use from the descriptions of the services: their names in the protos, where their data comes from, and whether
// there are mirrors. Pages only distinguish services with a source from those without.
import type { Plugin } from "vite";
import { DATA_SERVICES } from "../../gen/data-services.ts";

const DESCRIPTIONS = /\/gen\/data-services\.ts$/;

/** The plugin for the code that browsers load. Documents are rendered with the whole descriptions. */
export const slimServices: Plugin = {
  name: "slim-services",
  load: (id) => (DESCRIPTIONS.test(id) ? `export const DATA_SERVICES = ${JSON.stringify(slim())};` : undefined),
};

const slim = () =>
  Object.fromEntries(
    Object.entries(DATA_SERVICES).map(([name, { title, summary, firstCall, source }]) => [
      name,
      { service: "", title, summary, firstCall, source: source === "" ? "" : "yes" },
    ]),
  );
