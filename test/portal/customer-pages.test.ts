// All pages for customers as a server sends them that is no sandbox: what is true of other servers only is on none of them.
import { expect, onTestFinished, test } from "vitest";
import { SANDBOX_PASSWORD } from "../../src/account/password-rules.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { portalFiles } from "../fixtures/portal-site.ts";

const PUBLIC_URL = "https://api.example.com";
// About a server on the reader's machine, or about the program.
const FOR_OTHERS = /^\/docs\/(?:operate|architecture|decisions|contributing|releasing|mesh|changelog)(?=[/.]|$)/;
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  "another server's address": /127\.0\.0\.1:8080/,
  "a placeholder": /This is a template|not set by the operator|square brackets|\[(?:operator|support|governing)/,
  "a sandbox's password or key": new RegExp(`${SANDBOX_PASSWORD}|qk_test_\\w{8}`),
};

test("no page for customers has another server's address, a placeholder, or a sandbox's password or key", async () => {
  const gateway = await startGateway({ variables: { QUINTET_PUBLIC_URL: PUBLIC_URL } });
  onTestFinished(() => gateway.close());
  const paths = portalFiles()
    .filter(({ path, type }) => /^text\/(?:html|markdown)/.test(type) && !FOR_OTHERS.test(path))
    .map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(150);
  const faults: string[] = [];
  let named = 0;
  for (const path of paths) {
    const page = await (await fetch(`${gateway.origin}${path}`)).text();
    named += page.includes(PUBLIC_URL) ? 1 : 0;
    faults.push(
      ...Object.keys(FORBIDDEN)
        .filter((fault) => FORBIDDEN[fault]?.test(page))
        .map((fault) => `${path}: ${fault}`),
    );
  }
  expect(faults).toEqual([]);
  expect(named).toBeGreaterThan(50);
});
