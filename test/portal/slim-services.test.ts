// What pages know about the services: less than documents and servers do.
import { expect, test } from "vitest";
import { DATA_SERVICES } from "../../gen/data-services.ts";
import { slimServices } from "../../portal/build/slim-services.ts";

const load = slimServices.load as (id: string) => string | undefined;

test("pages get what they show of each service, and whether it has a source", () => {
  const text = load("/copy/gen/data-services.ts") ?? "";
  expect(JSON.parse(text.replace(/^export const DATA_SERVICES = |;$/g, ""))).toEqual(
    Object.fromEntries(
      Object.entries(DATA_SERVICES).map(([name, { title, summary, firstCall, source }]) => [
        name,
        { service: "", title, summary, firstCall, source: source === "" ? "" : "yes" },
      ]),
    ),
  );
});

test("other modules are loaded as they are", () => {
  expect(load("/copy/src/catalogue/service-names.ts")).toBeUndefined();
});
