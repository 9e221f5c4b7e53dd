// The example of Farkle's one method, wherever the site shows it, has what a fresh account gets for it: the free plan has no score breakdown.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FIRST_CALLS } from "../../portal/content/quickstart.ts";
import { SNIPPET_SERVER } from "../../portal/content/snippets/snippet.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { portalFiles, portalText } from "../fixtures/portal-site.ts";
import { ROOT } from "../fixtures/root.ts";
import { ALL_FREE } from "../fixtures/world.ts";

const plain = (html: string): string => html.replaceAll(/<[^>]+>/g, "").replaceAll("&quot;", '"');

const textOf = (path: string): string => {
  const file = portalFiles().find((one) => one.path === path);
  expect(file, path).toBeDefined();
  return file === undefined ? "" : plain(portalText(file));
};

// The objects in a page that are responses of the method.
const resultsIn = (text: string): readonly unknown[] =>
  [...text.matchAll(/"data":\s*(\{\s*"score":.*?\})\s*,\s*"meta"/gs)].map(([, json = ""]) => JSON.parse(json));

test("the quickstart, the reference, the console and the front page show what a fresh account gets", async () => {
  const gateway = await startGateway({ variables: { QUINTET_PLANS: join(ROOT, "plans/default.json") } });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer(ALL_FREE);
  const command = FIRST_CALLS.find(({ title }) => title === "REST")?.code ?? "";
  const target = new RegExp(`${SNIPPET_SERVER}([^'"\\s]+)`).exec(command)?.[1];
  const response = await fetch(`${gateway.origin}${target}`, { headers: { "x-gateway-key": secret } });
  const { data } = (await response.json()) as { readonly data: unknown };
  expect({ status: response.status, data }).toEqual({
    status: 200,
    data: { score: 1050, farkle: false, hot_dice: false, dead_dice: [2, 3] },
  });
  const shown = ["/docs/quickstart", "/reference/farkle/score", "/console-responses.json", "/"].map((path) => {
    const results = resultsIn(textOf(path));
    return { path, isShown: results.length > 0, other: results.filter((one) => JSON.stringify(one) !== JSON.stringify(data)) };
  });
  expect(shown).toEqual(shown.map(({ path }) => ({ path, isShown: true, other: [] })));
});
