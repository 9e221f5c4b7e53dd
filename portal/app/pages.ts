// The pages of the application with their components. A component is loaded when its page is opened, or is likely to be.
import type { ComponentType } from "preact";
import lazy from "preact-iso/lazy";
import { PageFailed } from "./PageFailed.tsx";
import { type AppRoute, NO_SUCH_PAGE, ROUTES, routeAt } from "./routes.ts";

export interface AppPage extends AppRoute {
  readonly component: ComponentType & { readonly preload: () => Promise<unknown> };
}

const FILES = import.meta.glob<{ readonly default: ComponentType }>("./pages/{*,operator/*}.tsx");

function pageOf(route: AppRoute): AppPage {
  const load = FILES[`./pages/${route.file}.tsx`];
  if (load === undefined) {
    throw new Error(`There is no file ${route.file} in pages`);
  }
  return {
    ...route,
    // After an update of the server, a page that was already open requests scripts that no longer exist.
    component: lazy(() => load().catch(() => ({ default: PageFailed }))) as AppPage["component"],
  };
}

/** In the order of the navigation. */
export const PAGES: readonly AppPage[] = ROUTES.map(pageOf);

/** Shown at a path without a page. */
export const MISSING_PAGE: AppPage = pageOf(NO_SUCH_PAGE);

/** The page at a path. */
export const pageAt = (path: string): AppPage => routeAt(PAGES, path) ?? MISSING_PAGE;
