// `npm run measure:portal` measures pages of the site, and misses none of the application.
import { expect, test } from "vitest";
import { MEASURED_PAGES } from "../../bench/measured-pages.ts";
import { fixedPathOf, ROUTES } from "../../portal/app/routes.ts";
import { portalFiles } from "../fixtures/portal-site.ts";

test("every page that is measured is on the site, and all of the application's but the one that names an account are measured", () => {
  const served = new Set(portalFiles().map(({ path }) => path));
  const measured = MEASURED_PAGES.map(({ path }) => path);
  expect(measured.filter((path) => !served.has(path))).toEqual([]);
  expect(ROUTES.map(fixedPathOf).filter((path) => !measured.includes(path))).toEqual(["/app/operator/accounts/id"]);
});
