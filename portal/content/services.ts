// The services as the site presents them: as the protos say, with their names in the OpenAPI document.
import {
  SERVICES as BY_NAME,
  SERVICE_NAMES,
  type ServiceName,
  type ServicePresentation,
} from "../../src/catalogue/service-names.ts";

/** The names of a service, and how it is shown. */
export interface ShownService extends ServicePresentation {
  readonly name: ServiceName;
  /** The name in the OpenAPI document. */
  readonly tag: string;
}

/** In the order in which the site lists them. */
export const SERVICES: readonly ShownService[] = SERVICE_NAMES.map((name) => {
  const presentation = BY_NAME[name];
  return { name, tag: presentation.service.replace(/^.*\.|Service$/g, ""), ...presentation };
});

/** The services' titles on one line, separated by dots. */
export const TITLES_OF_SERVICES = SERVICES.map(({ title }) => title).join(" · ");

const lowerFirst = (title: string): string =>
  /^[A-Z][a-z]+ [a-z]/.test(title) && !title.startsWith("Bitcoin") ? title.charAt(0).toLowerCase() + title.slice(1) : title;

const LIST = new Intl.ListFormat("en", { type: "conjunction", style: "long" });

/** The services' titles as the beginning of a sentence: `Radio stations, token prices, … and Farkle`. */
export const SENTENCE_OF_SERVICES = LIST.format(SERVICES.map(({ title }, index) => (index === 0 ? title : lowerFirst(title))));

const TITLES: Readonly<Record<string, string>> = {
  ...{ SignIn: "Sign up and sign in", Account: "Account", Key: "Keys", Usage: "Usage" },
  ...{ Webhook: "Webhooks", Member: "Members", Profile: "Profile", Status: "Status and plans" },
};

/** The title of the service with this tag in the OpenAPI document. */
export const titleOfTag = (tag: string): string => SERVICES.find((service) => service.tag === tag)?.title ?? TITLES[tag] ?? tag;
