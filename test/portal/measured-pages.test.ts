// `npm run measure:portal` measures pages of the site, and misses none of the application.
import { expect, test } from "vitest";
import { MEASURED_PAGES } from "../../bench/measured-pages.ts";
import { fixedPathOf, ROUTES } from "../../portal/app/routes.ts";
import { portalFiles } from "../fixtures/portal-site.ts";

test("every measured page is on the site, and all pages of the application are measured, except the one whose path names an account", () => {
  const served = new Set(portalFiles().map(({ path }) => path));
  const measured = MEASURED_PAGES.map(({ path }) => path);
  expect(measured.filter((path) => !served.has(path))).toEqual([]);
  expect(ROUTES.map(fixedPathOf).filter((path) => !measured.includes(path))).toEqual(["/app/operator/accounts/id"]);
});
