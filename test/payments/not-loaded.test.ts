// A server whose customers cannot pay by card has nothing of Stripe.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "../fixtures/root.ts";

// Lists the modules that Node has loaded for the whole server, by their URLs.
const PROGRAM = `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const { readConfig } = await import("./src/server-config.ts");
  await import("./src/app.ts");
  await import("./src/workers/worker.ts");
  const { payments } = readConfig(process.argv[1] === "with" ? ${JSON.stringify({
    QUINTET_STRIPE_KEY: "sk_test_standin00000000",
    QUINTET_STRIPE_WEBHOOK_SECRET: "whsec_standin00000000",
    QUINTET_PUBLIC_URL: "https://api.example.com",
  })} : {});
  if (payments !== undefined) await import("./src/payments/payments.ts");
  console.log(JSON.stringify(loaded.filter((url) => /node_modules\\/stripe\\/|src\\/payments\\//.test(url)).length));
`;

const loadedOf = (how: string): number =>
  Number(execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM, how], { cwd: ROOT, encoding: "utf8" }));

test("without Stripe's settings, nothing of Stripe is loaded", () => {
  expect(loadedOf("without")).toBe(0);
  expect(loadedOf("with")).toBeGreaterThan(2);
});
