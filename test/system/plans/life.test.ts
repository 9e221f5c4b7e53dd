// The life of a plan, over both databases: a customer requests it, it is activated, its price and limits are edited, it is retired, its
// subscribers are moved with notice, and it is removed. After each step: what the customer is charged, allowed, shown and sent.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { moneyText } from "../../../src/catalogue/money.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { migrateStore } from "../../../src/store/open.ts";
import { createCommandLine, type Ran } from "../../cli/command-line.ts";
import { advanceTime, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { linkOf, startSmtp, subjectOf, textOf } from "../../fixtures/servers/smtp.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { rest } from "../account-services/clients.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "../account-services/person.ts";

const PUBLIC_URL = "http://127.0.0.1:8080";
const CUSTOMER = "ada@example.com";
const OPERATOR = "olga@example.com";

const plan = (name: string, priceMinor: number, currency: string, callsPerMonth: number, requestsPerSecond: number) => ({
  ...{ name, priceMinor, currency, callsPerMonth, requestsPerSecond },
  farkleBreakdown: priceMinor > 0,
});
const FREE = plan("free", 0, "EUR", 5, 2);
const PRO = plan("pro", 499, "EUR", 9, 4);
const DEARER = { ...plan("pro", 599, "USD", 7, 3), farkleBreakdown: false };
const QUIET = "To choose which e-mails you get, see http://127.0.0.1:8080/app/alerts\n";
const mail = (subject: string, text: string) => ({ subject, text: `${text}\n\n${PUBLIC_URL}/app/subscriptions\n\n${QUIET}` });

/** What a plan's subscriber may do, found by calls: `burst` at a time, `calls` in a month. */
const allowed = (calls: number, burst: number, breakdown: boolean) => ({ calls, burst, breakdown });

interface Terms {
  readonly name: string;
  readonly price_minor: number;
  readonly currency: string;
}
const shown = (terms: Terms | undefined) => terms && `${terms.name} ${moneyText(terms.price_minor, terms.currency)}`;

/** One step: what is done, and what is true afterwards. */
interface Step {
  readonly what: string;
  readonly does: readonly (string | { readonly applies: readonly object[] } | { readonly subscribes: string })[];
  readonly charged: string;
  readonly waits?: string;
  readonly next?: string;
  readonly offered: readonly string[];
  /** What `quintet plans show` lists. */
  readonly versions: readonly string[];
  readonly allowed: ReturnType<typeof allowed>;
  readonly mailed: readonly ReturnType<typeof mail>[];
  readonly toOperators?: readonly ReturnType<typeof mail>[];
}

const STEPS: readonly Step[] = [
  {
    what: "a new customer requests a paid plan: the free one begins at once",
    does: [{ subscribes: "pro" }],
    charged: "free 0.00 EUR",
    waits: "pro 4.99 EUR",
    offered: ["free 0.00 EUR", "pro 4.99 EUR"],
    versions: ["farkle/free/1 offered 1", "farkle/pro/1 offered 0"],
    allowed: allowed(5, 2, false),
    mailed: [
      mail(
        "Farkle: you requested the pro plan",
        "You requested the pro plan of Farkle: 4.99 EUR a month for 9 calls per month and 4 requests per second. We will write to you when it is active. Until then, nothing changes.",
      ),
    ],
    toOperators: [
      {
        subject: "ada requests the pro plan of Farkle",
        text: `The account ada requests the pro plan of Farkle: 4.99 EUR a month for 9 calls per month and 4 requests per second. It waits until you activate or decline it.\n\n${PUBLIC_URL}/app/operator/waiting\n\n${QUIET}`,
      },
    ],
  },
  {
    what: "an operator activates it",
    does: ["subscription activate ada farkle"],
    charged: "pro 4.99 EUR",
    offered: ["free 0.00 EUR", "pro 4.99 EUR"],
    versions: ["farkle/free/1 offered 0", "farkle/pro/1 offered 1"],
    allowed: allowed(9, 4, true),
    mailed: [
      mail(
        "Farkle: the pro plan is active",
        "The pro plan of Farkle is active: 4.99 EUR a month for 9 calls per month and 4 requests per second.",
      ),
    ],
  },
  {
    what: "its price, currency and limits are edited: subscribers keep theirs",
    does: [{ applies: [FREE, DEARER] }],
    charged: "pro 4.99 EUR",
    offered: ["free 0.00 EUR", "pro 5.99 USD"],
    versions: ["farkle/free/1 offered 0", "farkle/pro/2 offered 0", "farkle/pro/1 retired 1"],
    allowed: allowed(9, 4, true),
    mailed: [],
  },
  {
    what: "it is retired: subscribers keep it, and nobody else can have it",
    does: [{ applies: [FREE] }],
    charged: "pro 4.99 EUR",
    offered: ["free 0.00 EUR"],
    versions: ["farkle/free/1 offered 0", "farkle/pro/1 retired 1"],
    allowed: allowed(9, 4, true),
    mailed: [],
  },
  {
    what: "its subscribers are told that they will be moved to the new version, and keep theirs meanwhile",
    does: [{ applies: [FREE, DEARER] }, "plans migrate-subscribers --notice 30d"],
    charged: "pro 4.99 EUR",
    next: "pro 5.99 USD",
    offered: ["free 0.00 EUR", "pro 5.99 USD"],
    versions: ["farkle/free/1 offered 0", "farkle/pro/2 offered 0", "farkle/pro/1 retired 1"],
    allowed: allowed(9, 4, true),
    mailed: [
      mail(
        "Farkle: your plan changes on 2027-05-15",
        "Your pro plan of Farkle is no longer offered. You pay 4.99 EUR a month, and keep the plan until 2027-05-15 12:00 UTC. From then on, you are on the pro plan: 5.99 USD a month for 7 calls per month and 3 requests per second. If you do not want that, choose another plan or cancel before then.",
      ),
    ],
  },
  {
    what: "the notice is over: they are moved, and told again",
    does: [],
    charged: "pro 5.99 USD",
    offered: ["free 0.00 EUR", "pro 5.99 USD"],
    versions: ["farkle/free/1 offered 0", "farkle/pro/2 offered 1"],
    allowed: allowed(7, 3, false),
    mailed: [
      mail(
        "Farkle: your plan has changed",
        "You are now on the pro plan of Farkle: 5.99 USD a month for 7 calls per month and 3 requests per second.",
      ),
    ],
  },
  {
    what: "it is removed, and its subscribers get another plan without notice",
    does: [{ applies: [FREE] }, "plans migrate-subscribers --notice 0d --service farkle --plan pro --to free"],
    charged: "free 0.00 EUR",
    offered: ["free 0.00 EUR"],
    versions: ["farkle/free/1 offered 1"],
    allowed: allowed(5, 2, false),
    mailed: [
      mail(
        "Farkle: your plan has changed",
        "You are now on the free plan of Farkle: 0.00 EUR a month for 5 calls per month and 2 requests per second.",
      ),
    ],
  },
];

// A clock on which time passes only when the test says so, and whose date can be set, as when a machine wakes up.
function startClock() {
  const clock = createManualClock({ nowMs: START_MS });
  let setMs = 0;
  return {
    ...clock,
    nowMs: () => clock.nowMs() + setMs,
    set: (nowMs: number) => {
      setMs = nowMs - clock.nowMs();
    },
  };
}

const dayOf = (nowMs: number, monthsLater: number, day: number, hour: number): number => {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater, day, hour);
};

interface Body {
  readonly data: { readonly breakdown?: readonly unknown[] } | null;
  readonly error?: { readonly details: readonly { readonly reason?: string }[] };
}

async function live(database: string | undefined): Promise<void> {
  const smtp = await startSmtp();
  const dataDir = temporaryDirectory();
  const variables = { ...(database !== undefined && { QUINTET_DATABASE_URL: database }) };
  const clock = startClock();
  const gateway = await startGateway({
    plans: { farkle: [FREE, PRO] },
    ...{ dataDir, clock },
    variables: {
      ...variables,
      ...{ QUINTET_SMTP_URL: smtp.url, QUINTET_MAIL_FROM: "no-reply@example.com", QUINTET_PUBLIC_URL: PUBLIC_URL },
    },
  });
  onTestFinished(async () => {
    await advanceTime(clock, gateway.close());
    await smtp.close();
  });
  const { origin } = gateway;
  const { run } = createCommandLine({ dataDir, clock });
  const person = new Person(placeOf({ origin, clock }), rest);
  // The account gets a name of its own at the first sign-up.
  let name = "";
  const quintet = async (words: string): Promise<string> => {
    const line = words.replace(" ada", ` ${name}`);
    const running = run(line, variables);
    let ran: Ran | undefined;
    running.then(
      (result) => {
        ran = result;
      },
      () => {},
    );
    // It waits for the server, which takes a while of its own.
    await expect.poll(() => clock.advance(5) ?? ran, { interval: 5 }).toBeDefined();
    const { code, out, err } = await running;
    expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
    return out;
  };
  // Time passes until this is so.
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    await expect.poll(() => clock.advance(1000) ?? isSo(), { interval: 5 }).toBe(true);
  };
  const signUp = async (email: string): Promise<void> => {
    await person.take(METHODS.signUp, { email });
    const token = new URLSearchParams(new URL(linkOf(await smtp.nextMail(email))).hash.slice(1)).get("token");
    await person.take(METHODS.verifyEmail, { token, password: PASSWORD });
  };
  const reasonOf = ({ error }: Body): string | undefined => error?.details.find(({ reason }) => reason !== undefined)?.reason;
  const call = async (secret: string) => {
    const response = await fetch(`${origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
    return { headers: response.headers, body: (await response.json()) as Body };
  };
  // Calls until the month is used up, in bursts.
  const spend = async (secret: string) => {
    let [calls, inBurst, burst, breakdown] = [0, 0, 0, false];
    for (;;) {
      const { body } = await call(secret);
      if (body.data) {
        calls++;
        inBurst++;
        breakdown = body.data.breakdown?.length === 1;
      } else if (reasonOf(body) === "RATE_LIMITED") {
        burst = Math.max(burst, inBurst);
        inBurst = 0;
        clock.advance(1000);
      } else if (reasonOf(body) === "LIMITS_UNAVAILABLE") {
        // The server had no time to hear from the database since the clock was set.
        await new Promise(setImmediate);
        clock.advance(100);
      } else {
        expect(reasonOf(body)).toBe("QUOTA_EXCEEDED");
        return allowed(calls, burst, breakdown);
      }
    }
  };
  // What is left, by the header of a call, by GetUsage and by the command line.
  const left = async (secret: string, session: Headers): Promise<number> => {
    const byHeader = Number(/"month";r=(\d+)/.exec((await call(secret)).headers.get("ratelimit") ?? "")?.[1]);
    // The server may be leasing more, and writes its counts every few seconds.
    const remaining = async () => {
      clock.advance(1000);
      const { standings } = await person.take<{ standings: { remaining: number }[] }>(METHODS.getUsage, {}, session);
      const { services } = JSON.parse(await quintet("usage ada --json"));
      return [standings[0]?.remaining, services[0].standing.remaining];
    };
    await expect.poll(remaining, { interval: 5 }).toEqual([byHeader, byHeader]);
    return byHeader;
  };

  const nameOf = async (email: string): Promise<string> => {
    await signUp(email);
    return (await person.take<{ account: { name: string } }>(METHODS.getAccount, {}, await person.signIn(email))).account.name;
  };
  name = await nameOf(CUSTOMER);
  await quintet(`account operator ${await nameOf(OPERATOR)}`);
  const session = await person.signIn(CUSTOMER);
  // What happens to plans is mailed all the same.
  await person.take(METHODS.updateAccount, { settings: { alerts: { mailed: [] } } }, session);
  const { secret } = await person.take<{ secret: string }>(METHODS.createKey, { name: "ci" }, session);
  let sent = smtp.mails.length;
  clock.set(dayOf(START_MS, 1, 1, 0));
  for (const { what, does, mailed, toOperators = [], ...step } of STEPS) {
    clock.set(dayOf(clock.nowMs(), 0, 15, 12));
    const owner = await person.signIn(CUSTOMER);
    for (const deed of does) {
      if (typeof deed === "string") {
        await quintet(deed);
      } else if ("applies" in deed) {
        writeFileSync(join(dataDir, "next.json"), JSON.stringify({ farkle: deed.applies }));
        await quintet(`plans apply ${join(dataDir, "next.json")}`);
      } else {
        await person.take(METHODS.setSubscription, { service: "farkle", plan: deed.subscribes }, owner);
      }
    }
    const count = sent + mailed.length + toOperators.length;
    await until(async () => smtp.mails.length >= count && (await gateway.store.waitingDeliveries(1)) === 0);
    const mails = smtp.mails
      .slice(sent)
      .map((each) => ({ to: each.to, subject: subjectOf(each).replace(name, "ada"), text: textOf(each).replace(name, "ada") }));
    sent = smtp.mails.length;
    expect({ what, mails: new Set(mails) }).toEqual({
      what,
      mails: new Set([
        ...mailed.map((each) => ({ to: [CUSTOMER], ...each })),
        ...toOperators.map((each) => ({ to: [OPERATOR], ...each })),
      ]),
    });
    // A new month.
    clock.set(dayOf(clock.nowMs(), 1, 1, 0));
    const again = await person.signIn(CUSTOMER);
    const { results } = await person.take<{ results: Record<string, Terms>[] }>(METHODS.listSubscriptions, {}, again);
    const offers = await person.take<{ results: Terms[] }>(METHODS.listPlans, { service: "farkle" });
    const page = await (await fetch(`${origin}/plans`)).text();
    const { plans: versions } = JSON.parse(await quintet("plans show --service farkle --json"));
    const remaining = await left(secret, again);
    const { calls, ...may } = await spend(secret);
    expect({
      what,
      charged: shown(results[0]?.terms),
      waits: shown(results[0]?.requested_terms),
      next: shown(results[0]?.next_terms),
      offered: offers.results.map(shown),
      versions: versions.map(({ id, state, subscribers }: Record<string, string>) => `${id} ${state} ${subscribers}`),
      left: remaining,
      allowed: { calls: calls + 1, ...may },
    }).toEqual({
      waits: undefined,
      what,
      ...step,
      left: step.allowed.calls - 1,
    });
    expect(page).not.toContain("4.37");
  }
}

describe("a plan's life, with SQLite", () => {
  test("is what its subscriber agreed to, at each step", () => live(undefined));
});

describeWith(postgres, "a plan's life, with PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("is what its subscriber agreed to, at each step", async () => {
    const url = await server.createDatabase();
    await migrateStore({ dataDir: "/nonexistent", database: { url, connectionsMax: 2, staleAfterMs: 10_000 }, clock: systemClock });
    await live(url);
  });
});
