// Where visitors of a page sign in or sign up.
import { folderNameOf, SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { explorePageOf } from "../content/explore-pages.ts";

/** The page to sign in or sign up, which leads back to what they are looking at. */
export const visitorPath = (page: "sign-in" | "sign-up"): string =>
  `/app/${page}?next=${encodeURIComponent(location.pathname + location.search)}`;

/** Where they sign up for a key of a service: once they have an account, they get its free plan and the key. */
export const keyPath = (service: ServiceName): string => `/app/sign-up?next=${encodeURIComponent(`/app?service=${service}`)}`;

/** Where they sign up from the page at `path`: for a key, if the page is about a service. */
export function startPath(path: string): string {
  const parts = path.split("/");
  const isAbout = (service: ServiceName): boolean =>
    parts.includes(service) || parts.includes(folderNameOf(service)) || explorePageOf(service)?.path === path;
  const service = SERVICE_NAMES.find(isAbout);
  return service === undefined ? "/app/sign-up" : keyPath(service);
}
