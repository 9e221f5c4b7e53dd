// The tables of the data services, made from the presentations in their protos.
import { folderNameOf, SERVICE_NAMES, SERVICES } from "../../src/catalogue/service-names.ts";
import { table } from "./markdown.ts";

/** The services, with what they return and where it comes from. `folder` is where their pages are, seen from the page with the table. */
export const servicesTable = (folder: string): string =>
  table(
    ["service", "what it provides", "source"],
    SERVICE_NAMES.map((name) => {
      const { summary, source } = SERVICES[name];
      return [`[${name}](${folder}/${folderNameOf(name)}.md)`, summary, source || "computed here"];
    }),
  );

/** The pages of the services, as they are in the list of all pages. */
export const servicePagesTable = (folder: string): string =>
  table(
    ["page", "what the service provides"],
    SERVICE_NAMES.map((name) => {
      const page = `${folder}/${folderNameOf(name)}.md`;
      return [`[${page}](${page})`, SERVICES[name].summary];
    }),
  );
