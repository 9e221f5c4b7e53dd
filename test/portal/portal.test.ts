// How the site is sent: compressed as the browser prefers, cached for as long as it is valid, with a policy that allows only our scripts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { portalFiles } from "../fixtures/portal-site.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("The portal", () => {
  let gateway: Gateway;
  const files = portalFiles();
  const script = files.find(({ path }) => /^\/assets\/document-.*\.js$/.test(path))?.path ?? "";
  beforeAll(async () => {
    gateway = await startGateway({
      plans: {
        farkle: [
          { name: "pro", callsPerMonth: 2_000_000, requestsPerSecond: 9, priceMinor: 437 },
          { name: "free", callsPerMonth: 1234567, requestsPerSecond: 7 },
        ],
      },
    });
  });
  afterAll(() => gateway.close());

  const request = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.origin}${path}`, { redirect: "manual", ...init });

  test.each([
    { path: "/", type: "text/html; charset=utf-8", cache: "no-cache" },
    { path: "/docs/limits", type: "text/html; charset=utf-8", cache: "no-cache" },
    { path: "/errors/RATE_LIMITED", type: "text/html; charset=utf-8", cache: "no-cache" },
    { path: "/favicon.svg", type: "image/svg+xml", cache: "no-cache" },
    { path: script, type: "text/javascript; charset=utf-8", cache: "public, max-age=31536000, immutable" },
  ])("sends $path compressed, not to pages of other sites, and only when it has changed", async ({ path, type, cache }) => {
    const first = await request(path, { headers: { "accept-encoding": "gzip, br" } });
    const again = await request(path, {
      headers: { "if-none-match": first.headers.get("etag") ?? "", "accept-encoding": "gzip, br" },
    });
    const gzipped = await request(path, { headers: { "accept-encoding": "gzip" } });
    const head = await request(path, { method: "HEAD", headers: { "accept-encoding": "br" } });
    expect({
      statuses: [first.status, again.status, gzipped.status, head.status],
      type: first.headers.get("content-type"),
      cache: first.headers.get("cache-control"),
      coding: [first.headers.get("content-encoding"), gzipped.headers.get("content-encoding")],
      sniff: first.headers.get("x-content-type-options"),
      shared: first.headers.get("access-control-allow-origin"),
      same: (await first.text()) === (await gzipped.text()),
      length: head.headers.get("content-length"),
    }).toEqual({
      statuses: [200, 304, 200, 200],
      type,
      cache,
      coding: ["br", "gzip"],
      sniff: "nosniff",
      shared: null,
      same: true,
      length: first.headers.get("content-length"),
    });
  });

  test("lets a page run only our scripts, and lets no other site frame it", async () => {
    const { headers } = await request("/");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test("lets the application run only our scripts, and create no element from text", async () => {
    const { headers } = await request("/app/keys");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
  });

  test.each(["stations", "tokens", "bitcoin", "farkle"])(
    "lets Explore's page of %s load pictures and sound from anywhere, and nothing else",
    async (name) => {
      const { status, headers } = await request(`/explore/${name}`);
      expect({
        status,
        policy: headers.get("content-security-policy"),
        embedded: headers.get("cross-origin-embedder-policy"),
        referrer: headers.get("referrer-policy"),
      }).toEqual({
        status: 200,
        policy:
          "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' https: http:; media-src https: http:",
        // The users' cookies are not sent to those hosts.
        embedded: "credentialless",
        referrer: "no-referrer",
      });
    },
  );

  test("redirects from /explore to its first page", async () => {
    const { status, headers } = await request("/explore");
    expect([status, headers.get("location")]).toEqual([307, "/explore/stations"]);
  });

  test.each([
    { path: "/app", title: "Overview" },
    { path: "/app/keys", title: "Keys" },
    { path: "/app/console/farkle/score?dice=1", title: "Console" },
    { path: "/app/operator/accounts/id/00000000-0000-4000-8000-000000000000", title: "Account" },
    { path: "/app/operator/nothing", title: "Operations" },
    { path: "/app/no/such/page?next=%2Fapp", title: "Overview" },
  ])("sends the application at $path, whoever requests it", async ({ path, title }) => {
    const response = await request(path, { headers: { accept: "*/*" } });
    const again = await request(path, { headers: { "if-none-match": response.headers.get("etag") ?? "" } });
    const head = await request(path, { method: "HEAD" });
    expect({
      statuses: [response.status, again.status, head.status],
      type: response.headers.get("content-type"),
      cache: response.headers.get("cache-control"),
      shared: response.headers.get("access-control-allow-origin"),
      title: /<title>(.*) – Quintet<\/title>/.exec(await response.text())?.[1],
    }).toEqual({ statuses: [200, 304, 200], type: "text/html; charset=utf-8", cache: "no-cache", shared: null, title });
  });

  test.each(["/apple", "/application/keys"])("does not treat %s as a page of the application", async (path) => {
    expect((await request(path)).status).toBe(404);
  });

  test("redirects from a path with a trailing slash to the page", async () => {
    const { status, headers } = await request("/docs/");
    const app = await request("/app/");
    const keys = await request("/app/keys/");
    expect([status, app.status, keys.status]).toEqual([308, 308, 308]);
    expect([headers, app.headers, keys.headers].map((each) => each.get("location"))).toEqual(["/docs", "/app", "/app/keys"]);
  });

  test.each([
    { who: "a browser", headers: BROWSER, type: "text/html; charset=utf-8" },
    { who: "a program", headers: { accept: "*/*" }, type: "application/json; charset=utf-8" },
    { who: "a program without an accept header", headers: {}, type: "application/json; charset=utf-8" },
  ])("tells $who in a format that it can read that a page does not exist", async ({ headers, type }) => {
    const response = await request("/docs/nothing", { headers });
    expect({ status: response.status, type: response.headers.get("content-type") }).toEqual({ status: 404, type });
  });

  test.each(["/docs/limits", "/app", "/app/keys"])("accepts only GET and HEAD at %s", async (path) => {
    const response = await request(path, { method: "POST", headers: BROWSER });
    expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({ status: 405, allow: "GET, HEAD" });
  });

  test("shows the plans that this server offers", async () => {
    const html = await (await request("/plans")).text();
    const [free = "", pro = ""] = html.slice(html.indexOf('id="farkle"')).match(/<article.*?<\/article>/g) ?? [];
    expect(free.split(/(?=<(?:h3|p|li|a )|<\/ul>)/)).toEqual([
      "<article>",
      "<h3>Free</h3>",
      '<p><b><data value="0" data-currency="EUR">0.00 EUR</data></b></p>',
      "<p>Active right away</p><ul>",
      '<li><b><data value="1234567">1,234,567</data></b> calls per month</li>',
      '<li><data value="7">7</data> requests per second</li>',
      "<li>score breakdown</li>",
      "</ul>",
      '<a href="/app/sign-up?next=%2Fapp%2Fsubscriptions%3Fdo%3Dplan%26service%3Dfarkle%26plan%3Dfree">Start free</a></article>',
    ]);
    expect(pro.split(/(?=<(?:h3|p|li|a )|<\/ul>)/).slice(1)).toEqual([
      "<h3>Pro</h3>",
      '<p><b><data value="4.37" data-currency="EUR">4.37 EUR</data></b> a month</p>',
      '<p><data value="52.44" data-currency="EUR">52.44 EUR</data> a year</p><ul>',
      '<li><b><data value="2000000">2,000,000</data></b> calls per month</li>',
      '<li><data value="9">9</data> requests per second</li>',
      "<li>score breakdown</li>",
      "</ul>",
      '<a href="/app/sign-up?next=%2Fapp%2Fsubscriptions%3Fdo%3Dplan%26service%3Dfarkle%26plan%3Dpro">Request Pro</a></article>',
    ]);
  });
});
