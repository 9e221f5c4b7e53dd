// The examples of the front page: its commands are run as shown, in a shell, with a key on the default free plans. What they print is
// recorded in portal/content/recorded/front.json, from which the page is made; `npx vitest run test/system/portal/front-responses.test.ts
// -u` records it again.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { frontCommands } from "../../../portal/content/front.ts";
import { SNIPPET_SERVER } from "../../../portal/content/snippets/snippet.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { CURL_IS_ABLE } from "../../fixtures/curl.ts";
import { letTimePass, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { REQUEST_ID } from "../../fixtures/recorded-examples.ts";
import { ROOT } from "../../fixtures/root.ts";
import { withSteadyOrigins } from "../../fixtures/sandbox-origins.ts";
import { ALL_FREE } from "../../fixtures/world.ts";
import { runSnippet, WITHIN_MS } from "./run-snippet.ts";

const RECORDED = join(ROOT, "portal/content/recorded/front.json");

test.runIf(CURL_IS_ABLE)(
  "each command of the front page prints what stands there, in each protocol, on the free plan",
  { timeout: WITHIN_MS },
  async () => {
    const clock = createManualClock({ nowMs: START_MS });
    const sandbox = await startSandbox({ clock, controlPort: 0 });
    const variables = { ...sandbox.variables, QUINTET_PLANS: "plans/default.json" };
    const gateway = await startGateway({ variables, clock });
    onTestFinished(async () => {
      await letTimePass(clock, gateway.close());
      await sandbox.close();
    });
    const recorded: [string, unknown][] = [];
    for (const [name, snippet] of frontCommands()) {
      // The plan's rate must not hold up the next command.
      const { secret } = await gateway.makeCustomer(ALL_FREE);
      const code = snippet.code.replaceAll(SNIPPET_SERVER, gateway.origin);
      const { stdout, stderr, failed } = await runSnippet({ ...snippet, code }, secret);
      expect({ name, stderr, failed }).toEqual({ name, stderr: "", failed: false });
      const steady = withSteadyOrigins(stdout, sandbox).replaceAll(/(?<="request_id":\s*")[^"]+/g, REQUEST_ID);
      recorded.push([name, JSON.parse(steady)]);
    }
    await expect(`${JSON.stringify(Object.fromEntries(recorded), undefined, 2)}\n`).toMatchFileSnapshot(RECORDED);
  },
);
