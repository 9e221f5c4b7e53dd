// Stripe's own rules: every request that the server sends is valid for stripe-mock, which Stripe generates from its OpenAPI document, and
// every object of the stand-in fits the document's schemas.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Plan } from "../../src/catalogue/plan.ts";
import { CardPayments } from "../../src/payments/payments.ts";
import { STAND_IN_KEY, STAND_IN_WEBHOOK_SECRET } from "../../src/sandbox/stripe/stripe-stand-in.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { type GoTool, goModuleFolder, installGoTool } from "../fixtures/go-tool.ts";
import { freePort } from "../fixtures/servers/server-process.ts";
import { payAt, startStripe, stripeVariables } from "../fixtures/servers/stripe.ts";
import { createMemoryLog } from "../guard/scene.ts";

const STRIPE_MOCK: GoTool = { module: "github.com/stripe/stripe-mock", version: "v0.203.0" };
const hasGo = spawnSync("go", ["version"]).status === 0;

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

// What does not fit, by its place. Of alternatives, the one that fits best counts.
function faultsOf(value: unknown, schema: Schema, schemas: Readonly<Record<string, Schema>>, place: string): readonly string[] {
  if (schema.$ref !== undefined) {
    return faultsOf(value, schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, schemas, place);
  }
  if (value === null) {
    return schema.nullable === true ? [] : [`${place} is null`];
  }
  if (schema.anyOf !== undefined) {
    const all = schema.anyOf.map((each) => faultsOf(value, each, schemas, place));
    return all.toSorted((a, b) => a.length - b.length)[0] ?? [];
  }
  if (Array.isArray(value)) {
    return schema.type === "array"
      ? value.flatMap((each) => faultsOf(each, schema.items ?? {}, schemas, `${place}[]`))
      : [`${place} is a list`];
  }
  if (typeof value === "object" && schema.type === "object") {
    const { properties = {}, required = [] } = schema;
    const names = Object.keys(value);
    return [
      ...required.filter((name) => !names.includes(name)).map((name) => `${place}.${name} is missing`),
      ...Object.entries(value).flatMap(([name, each]) => {
        const known = properties[name];
        if (known !== undefined) {
          return faultsOf(each, known, schemas, `${place}.${name}`);
        }
        return schema.properties === undefined || schema.additionalProperties !== undefined ? [] : [`${place}.${name} is unknown`];
      }),
    ];
  }
  const type = typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
  const fits = type === schema.type && (schema.enum === undefined || schema.enum.includes(value));
  return fits ? [] : [`${place} is ${JSON.stringify(value)}`];
}

async function startMock(port: number): Promise<string> {
  const mock: ChildProcess = spawn(installGoTool(STRIPE_MOCK), ["-http-port", String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void mock.kill());
  await new Promise<void>((resolve) => {
    mock.stdout?.on("data", (chunk) => String(chunk).includes("Listening for HTTP") && resolve());
  });
  return `http://127.0.0.1:${port}`;
}

test.skipIf(!hasGo)("every request is valid for Stripe, and every object of the stand-in fits its schema", async () => {
  const stripe = await startStripe();
  onTestFinished(() => stripe.close());
  const gateway = await startGateway({ variables: { QUINTET_PLANS: "plans/default.json", ...stripeVariables(stripe) } });
  onTestFinished(() => gateway.close());
  await gateway.store.createAccount({ id: "a-1", name: "acme", email: "ops@acme.example" });
  const payments = new CardPayments({
    config: {
      ...{ secretKey: STAND_IN_KEY, webhookSecret: STAND_IN_WEBHOOK_SECRET, apiUrl: new URL(stripe.origin), graceMs: 0 },
      ...{ fallsToFree: true, hasTax: true, hasPromotionCodes: true, publicUrl: "https://api.example.com" },
    },
    ...{ proxy: undefined, store: gateway.store, clock: gateway.clock, log: createMemoryLog() },
    randomness: { uuid: () => "s-1", bytes: (count) => new Uint8Array(count), unit: () => 0 },
  });
  const plans = await gateway.store.offeredPlans();
  const farkle = (name: string) => plans.find((each) => each.service === "farkle" && each.name === name) as Plan;
  await payAt(stripe, await payments.checkout({ id: "a-1", email: "ops@acme.example" }, farkle("starter")), gateway.origin);
  await payments.reconcileSome(undefined);
  await payments.preview("a-1", farkle("pro"));
  for (const name of ["pro", "free", "pro"]) {
    await payments.change("a-1", farkle(name));
  }
  await payments.portal("a-1");
  for (const isSuspended of [true, false]) {
    await gateway.store.setSuspended("a-1", isSuspended);
    await payments.endDue();
  }
  const [subscription = ""] = stripe.state.subscriptions.keys();
  await payments.stripe.movePlan(subscription, farkle("starter"));
  await payments.stripe.refund(subscription);
  stripe.state.dispute([...stripe.state.charges.keys()][0] ?? "");
  await payments.reconcile(subscription);

  const origin = await startMock(await freePort());
  const refused: string[] = [];
  for (const { method, path, body } of stripe.requests) {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: "Bearer sk_test_123", "content-type": "application/x-www-form-urlencoded" },
      ...(method !== "GET" && { body }),
    });
    const text = await response.text();
    if (!response.ok) {
      refused.push(`${method} ${path} ${body}: ${text}`);
    }
  }
  expect(refused).toEqual([]);
  expect(new Set(stripe.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).size).toBeGreaterThan(10);

  const document = readFileSync(join(goModuleFolder(STRIPE_MOCK), "embedded/openapi/spec3.json"), "utf8");
  const { schemas } = JSON.parse(document).components as { schemas: Record<string, Schema> };
  const objects = [
    ...stripe.requests.flatMap(({ response }) => (response.object === "list" ? (response.data as object[]) : [response])),
    ...stripe.events.map(({ body }) => JSON.parse(body).data.object as object),
  ] as { readonly object?: string }[];
  expect(new Set(objects.map(({ object }) => object)).size).toBeGreaterThan(8);
  const faults = objects.flatMap((each) => faultsOf(each, schemas[each.object ?? ""] ?? {}, schemas, each.object ?? "an error"));
  expect([...new Set(faults)]).toEqual([]);
});
