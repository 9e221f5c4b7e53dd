// Alerts from the counted call to the e-mail: with a store, several servers on it, and a real SMTP server, with a clock that the test
// controls.
import { expect, test } from "vitest";
import { type ReceivedMail, type SmtpBehaviour, subjectOf, textOf } from "../fixtures/servers/smtp.ts";
import { open } from "./alert-scene.ts";

test("each part of a month is mailed once, by two servers on one database", async () => {
  const { smtp, pass, begin, spend } = await open();
  await Promise.all([begin(), begin()]);
  const subjects: string[] = [];
  for (const calls of [500, 300, 150, 50]) {
    await spend(calls);
    for (let round = 0; round < 4; round++) {
      await pass(5000);
    }
    await expect.poll(() => smtp.mails.length).toBe(subjects.length + 1);
    subjects.push(subjectOf(smtp.mails.at(-1) ?? { from: "", to: [], source: "" }));
  }
  const month = "of the calls for November 2026 are used";
  expect(subjects).toEqual([
    ...[50, 80, 95].map((percent) => `Radio stations: ${percent}% ${month}`),
    "Radio stations: all calls for November 2026 are used up",
  ]);
});

test("an e-mail that fails is tried again later, with the same message id, and how it ended is recorded", async () => {
  const behaviour: SmtpBehaviour = { refuses: "451 4.3.0 later" };
  const { store, smtp, pass, begin, spend } = await open(behaviour);
  const alerts = await begin();
  await spend(500);
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.counts).toEqual({ delivered: 0, retried: 1, failed: 0 });
  behaviour.refuses = undefined;
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.counts).toEqual({ delivered: 1, retried: 1, failed: 0 });
  await expect.poll(() => store.waitingDeliveries(10)).toBe(0);
  const { alerts: created } = await store.alertPage("a-1", { limit: 10, offset: 0 });
  expect(smtp.mails.map(({ source }) => /^Message-ID: (.*)$/im.exec(source)?.[1])).toEqual([`<${created[0]?.id}@api.example.com>`]);
});

test("an e-mail that the server refuses for good is not tried again", async () => {
  const { store, smtp, pass, begin, spend } = await open({ refuses: "550 5.1.1 no such mailbox" });
  const alerts = await begin();
  await spend(500);
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.counts).toEqual({ delivered: 0, retried: 0, failed: 1 });
  await expect.poll(() => store.waitingDeliveries(10)).toBe(0);
  expect(smtp.mails).toEqual([]);
});

test.for([
  {
    event: "unpaid",
    subject: "Radio stations: your payment failed",
    text: "The last payment for your pro plan of Radio stations failed. You keep the plan until 2026-11-28 12:00 UTC. Please check your card before then.",
  },
  {
    event: "ended",
    subject: "Radio stations: your pro plan has ended",
    text: "Your pro plan of Radio stations has ended, because it is no longer paid. Calls are refused until you choose another plan.",
  },
  {
    event: "ended",
    current: { current_plan: "pro", current_price_minor: 2400, current_currency: "EUR" },
    subject: "Radio stations: your pro plan has ended",
    text: "Your pro plan of Radio stations has ended, because it is no longer paid. You are now on the free plan: 0.00 EUR a month for 1,000 calls per month and 1 requests per second.",
  },
])("an e-mail says what became of a plan that is not paid: $text", async ({ event, current, subject, text }) => {
  const { store, smtp, pass, begin } = await open();
  await begin();
  const terms = { price_minor: current ? 0 : 2400, currency: "EUR", calls_per_month: 1000, requests_per_second: 1 };
  const details = { event, service: "radio", plan: current ? "free" : "pro", ...terms, at: "2026-11-28T12:00:00Z", ...current };
  const alert = { accountId: "a-1", type: "plan.changed", subject: "radio", period: event, level: 0, isMailed: true } as const;
  await store.addAlerts([{ ...alert, details }], { mails: true });
  await pass(5000);
  await expect.poll(() => smtp.mails.length).toBe(1);
  const [mail] = smtp.mails as [ReceivedMail];
  expect([subjectOf(mail), textOf(mail)]).toEqual([
    subject,
    `${text}\n\nhttps://api.example.com/app/subscriptions\n\nTo choose which e-mails you get, see https://api.example.com/app/alerts\n`,
  ]);
});
