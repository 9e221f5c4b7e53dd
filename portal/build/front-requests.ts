// Puts the requests of the front page into the code that browsers load, instead of what they are computed from.
import type { Plugin } from "vite";
import { FRONT_REQUESTS } from "../front/requests.ts";

const MODULE = /\/portal\/front\/requests\.ts$/;

/** The plugin for the code that browsers load. */
export const frontRequests: Plugin = {
  name: "front-requests",
  load: (id) => (MODULE.test(id) ? `export const FRONT_REQUESTS = ${JSON.stringify(FRONT_REQUESTS)};` : undefined),
};
