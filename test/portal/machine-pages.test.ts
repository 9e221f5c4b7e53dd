// What the site has for programs: each page as Markdown, llms.txt, the sitemap, robots.txt and the API catalog. The site's own list of
// pages says what must be in them.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { portalFiles, portalText } from "../fixtures/portal-site.ts";

const files = portalFiles();
const byPath = new Map(files.map((file) => [file.path, file]));
// All pages except the one for unknown paths.
const pages = files.filter(({ kind, path }) => kind === "document" && path !== "/404").map(({ path }) => path);
const markdownPathOf = (path: string): string => (path === "/" ? "/index.md" : `${path}.md`);

const textOf = (path: string): string => {
  const file = byPath.get(path);
  return file === undefined ? "" : portalText(file);
};
const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
const headingOf = (html: string): string => plain(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? "");

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    plans: { farkle: [{ name: "free", callsPerMonth: 1234, requestsPerSecond: 7 }] },
    variables: { QUINTET_OPERATOR_NAME: "Bits & <Pieces> Ltd" },
  });
});
afterAll(() => gateway?.close());
const request = (path: string, init: RequestInit = {}): Promise<Response> => fetch(gateway.origin + path, init);

test("the site has pages", () => {
  expect(pages.length).toBeGreaterThan(80);
});

test.each(pages)("%s exists as Markdown, and the page links to it", (path) => {
  const html = textOf(path);
  const markdown = textOf(markdownPathOf(path));
  const [, title] = /^# (.*)$/m.exec(markdown) ?? [];
  expect({
    type: byPath.get(markdownPathOf(path))?.type,
    isNamed: html.includes(`<link rel="alternate" type="text/markdown" href="${markdownPathOf(path)}"`),
  }).toEqual({
    type: "text/markdown; charset=utf-8",
    isNamed: true,
  });
  // The first line of the front page is only an invitation, without information.
  expect(title?.replaceAll("`", "")).toBe(path === "/" ? "Quintet" : headingOf(html));
  expect(markdown).not.toMatch(/\]\([^)]*\.\.\/|<!-- table/);
});

test.each([
  ["/", /<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs],
  ["/plans", /<(?:dt|summary)>(.*?)<\/(?:dt|summary)><(?:dd|p)>(.*?)<\/(?:dd|p)>/gs],
])("the Markdown of %s has what the page promises, and what people ask", (path, said) => {
  const texts = [...textOf(path).matchAll(said)].flatMap(([, term = "", description = ""]) => [plain(term), plain(description)]);
  expect(texts.length).toBeGreaterThan(7);
  const markdown = textOf(markdownPathOf(path));
  expect(texts.filter((text) => !markdown.includes(text))).toEqual([]);
});

test("the links in the Markdown lead to pages that exist", () => {
  const elsewhere = new Set(["/openapi.json", "/descriptors.binpb", "/.well-known/api-catalog", "/explore"]);
  const dead = [...pages.map(markdownPathOf), "/llms.txt"].flatMap((path) =>
    [
      ...textOf(path)
        .replaceAll(/^```.*?^```$/gms, "")
        .matchAll(/\]\((\/[^)#\s]*)/g),
    ]
      .map(([, target = ""]) => target)
      .filter((target) => !byPath.has(target) && !elsewhere.has(target))
      .map((target) => `${path}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test("llms.txt lists every page once", () => {
  const linked = [...textOf("/llms.txt").matchAll(/\]\((\/[^)]*\.md)\)/g)].map(([, path]) => path);
  expect(linked.toSorted()).toEqual(pages.map(markdownPathOf).toSorted());
});

test("the sitemap lists every page once, under the requested host", async () => {
  const response = await request("/sitemap.xml");
  const text = await response.text();
  expect(response.headers.get("content-type")).toBe("application/xml; charset=utf-8");
  expect([...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url).toSorted()).toEqual(
    pages.map((path) => gateway.origin + path).toSorted(),
  );
});

test("documents with URLs use the public URL, whatever host a request names", async () => {
  const other = await startGateway({ variables: { QUINTET_PUBLIC_URL: "https://api.example.com" } });
  onTestFinished(() => other.close());
  for (const path of ["/sitemap.xml", "/robots.txt", "/.well-known/api-catalog", "/status/feed.atom"]) {
    const text = await (await fetch(other.origin + path)).text();
    expect([path, text.includes("https://api.example.com/"), text.includes("127.0.0.1")]).toEqual([path, true, false]);
  }
});

test("robots.txt names the sitemap", async () => {
  expect(await (await request("/robots.txt")).text()).toBe(
    `User-agent: *\nDisallow: /app\nSitemap: ${gateway.origin}/sitemap.xml\n`,
  );
});

test("password managers are led to the page where the password is changed", async () => {
  const response = await request("/.well-known/change-password", { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([307, "/app/account"]);
  expect((await request("/app/account")).status).toBe(200);
});

test.each([
  ["security@example.com", "mailto:security@example.com"],
  ["a?b&c@bücher.example", "mailto:a%3Fb%26c@xn--bcher-kva.example"],
  ["https://example.com/security", "https://example.com/security"],
])("security.txt names the contact %s, and expires within a year", async (contact, uri) => {
  const own = await startGateway({ variables: { QUINTET_SUPPORT_CONTACT: contact, QUINTET_TRUSTED_PROXIES: "127.0.0.1" } });
  onTestFinished(() => own.close());
  const read = async (scheme: string) =>
    fetch(`${own.origin}/.well-known/security.txt`, { headers: { "x-forwarded-proto": scheme } });
  const response = await read("https");
  const expires = new Date(own.clock.nowMs() + 180 * 86_400_000).toISOString().slice(0, 10);
  expect(await response.text()).toBe(
    `Contact: ${uri}\nExpires: ${expires}T00:00:00.000Z\nCanonical: ${own.origin.replace("http", "https")}/.well-known/security.txt\nPreferred-Languages: en\n`,
  );
  // The standard forbids a canonical URL without TLS.
  expect(await (await read("http")).text()).not.toContain("Canonical");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
});

test("without a contact that programs understand, there is no security.txt", async () => {
  expect((await request("/.well-known/security.txt")).status).toBe(404);
});

test("everything that the API catalog names exists", async () => {
  const response = await request("/.well-known/api-catalog");
  const { linkset } = (await response.json()) as { linkset: readonly Record<string, unknown>[] };
  const targets = linkset.flatMap(({ anchor: _, ...relations }) =>
    Object.values(relations as Record<string, readonly { href: string; type: string }[]>).flat(),
  );
  const found = await Promise.all(
    targets.map(async ({ href }) => ({ href, type: (await fetch(href)).headers.get("content-type")?.split(";")[0] })),
  );
  expect(linkset.map(({ anchor }) => anchor)).toEqual([`${gateway.origin}/`, `${gateway.origin}/mcp`]);
  expect(targets.length).toBeGreaterThan(5);
  expect(found).toEqual(targets.map(({ href, type }) => ({ href, type })));
  expect(response.headers.get("content-type")).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
  const head = await request("/.well-known/api-catalog", { method: "HEAD" });
  expect(head.headers.get("link")).toBe('</.well-known/api-catalog>; rel="api-catalog"');
});

test("the plans as Markdown are those of the server", async () => {
  const text = await (await request("/plans.md")).text();
  expect(text).toContain("| free | ");
  expect(text).toContain("| 1234 | 7 |");
});

test.each(["/docs/terms", "/docs/privacy", "/docs/support"])(
  "%s has its placeholders filled with the operator's settings",
  async (path) => {
    const html = await (await request(path)).text();
    const markdown = await (await request(`${path}.md`)).text();
    const places = /\[(?:operator name|operator address|support contact|governing law)\]/;
    expect([places.test(textOf(path)), places.test(html), places.test(markdown)]).toEqual([true, false, false]);
    expect(html).toContain("not published here");
    expect([html.includes("Bits &amp; &lt;Pieces&gt; Ltd"), markdown.includes("Bits & <Pieces> Ltd")]).toEqual(
      path === "/docs/support" ? [false, false] : [true, true],
    );
  },
);

test("what a page of the reference says about errors is true for its service, as HTML and as Markdown", () => {
  const path = "/reference/token-price/get-prices";
  const texts = [textOf(markdownPathOf(path)), plain(textOf(path))];
  expect(texts.map((text) => text.includes("No data source gave a usable response."))).toEqual([true, true]);
  expect(texts.map((text) => /radio/i.test(text.slice(text.lastIndexOf("Errors"))))).toEqual([false, false]);
});

// As people, programs and data write the prices of the built-in plans, a month and a year.
const builtInPrices = loadPlans(undefined)
  .all.filter(({ priceMinor }) => priceMinor > 0)
  .flatMap(({ priceMinor, currency }) =>
    [priceMinor, 12 * priceMinor].flatMap((minor) => {
      const amounts = `(?:${minor / 100}|${(minor / 100).toFixed(2)})`.replaceAll(".", "[.,]");
      return [
        ...[`€\\s?${amounts}`, `(?<![\\d.,])${amounts}\\s?(?:€|${currency})`, `value="${minor / 100}" data-currency`],
        `price_?minor\\W+${minor}`,
      ].map((text) => new RegExp(`${text}(?![\\d.,]*\\d)`, "i"));
    }),
  );

test("no page or document shows a price of the built-in plans, and a change of the plans is shown without a restart", async () => {
  const sitemap = await (await request("/sitemap.xml")).text();
  const listed = [...sitemap.matchAll(/<loc>https?:\/\/[^/]+(.*?)<\/loc>/g)].map(([, path = ""]) => path);
  const texts = new Set([...gatewayPaths(), ...listed, "/openapi.json", "/.well-known/api-catalog", "/account/v1/plans"]);
  const wrong: string[] = [];
  for (const path of texts) {
    const text = await (await request(path)).text();
    wrong.push(...builtInPrices.filter((price) => price.test(text)).map((price) => `${path} ${price}`));
  }
  expect([listed.length > 100 && texts.size > 400, wrong]).toEqual([true, []]);
  const shown = async () =>
    Promise.all(
      ["/", "/plans", "/plans.md"].map(async (path) => {
        const text = await (await request(path)).text();
        return /4,?321/.test(text) && text.includes("56.78 EUR");
      }),
    );
  expect(await shown()).toEqual([false, false, false]);
  await gateway.store.applyPlans(
    loadPlans(undefined).all.map((plan) => ({
      ...plan,
      ...(plan.priceMinor === 0 ? { callsPerMonth: 4321 } : { priceMinor: 5678 }),
    })),
  );
  await expect.poll(shown).toEqual([true, true, true]);
});

// Everything that the site serves as text.
const gatewayPaths = (): readonly string[] =>
  files.filter(({ type }) => /text|json|xml|javascript/.test(type)).map(({ path }) => path);
