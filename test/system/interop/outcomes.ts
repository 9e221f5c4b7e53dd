// What every example has to do in each situation, in any language: `interop("go")` makes a suite from the example's README.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Prices, REQUESTS_PER_SECOND, type RestResponse, type Scene, startScene } from "./scene.ts";
import { note } from "./table.ts";
import { makeWorkplace, type Program, readReadme, type Workplace } from "./workplace.ts";

const TOKENS = ["coingecko:bitcoin", "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "coingecko:no-such-token"];
/** Requested only while the source misbehaves, so that no cache has its price. */
const UNCACHED = ["coingecko:solana"];
const PRICE = "/token-price/v1/price";
/** An example ends by its own deadline of 10 s, once it has started. */
const CALL_MS_MAX = 300_000;
const SETUP_MS_MAX = 1_200_000;
/** Long enough that a price of the sandbox has changed. */
const PRICE_CHANGES_MS = 600_000;

/** What grpc-go prepends to the message of a call's last attempt. */
const GRPC_GO_SAYS = /max retries exhausted: failed after \d+ attempts: rpc error: code = \w+ desc = /;

type Cells = readonly (string | number)[];

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Creates the suite for a folder of `examples/`. Its programs are those with which its README requests prices, unless others are given: a
 * page has none.
 */
export function interop(folder: string, others?: readonly Program[]): void {
  const readme = readReadme(folder);
  const programs = others ?? readme.programs;
  let scene: Scene;
  // Its source of prices responds after every deadline.
  let slowScene: Scene;
  let place: Workplace;
  let key: string;
  let maxAttempts: number;

  beforeAll(async () => {
    scene = await startScene();
    key = await scene.generateKey("wide");
    maxAttempts = await publishedMaxAttempts(scene.relay.origin);
    place = makeWorkplace(folder, { origin: scene.relay.origin, key });
    await place.run(readme.setup);
    // The very first call takes the longest, and an example has ten seconds.
    await scene.rest(`${PRICE}?tokens=${TOKENS.join()}`, key);
    slowScene = await startScene();
    slowScene.misbehave({ kind: "slow", delayMs: 600_000 });
  }, SETUP_MS_MAX);
  afterAll(() => Promise.all([scene?.close(), slowScene?.close()]));

  const start = ({ start: command }: Program, args: readonly string[], ownKey: string, { relay } = scene): ChildProcess => {
    relay.reset();
    const env = { ...place.environment, QUINTET_URL: relay.origin, QUINTET_KEY: ownKey === "" ? undefined : ownKey };
    return spawn("sh", ["-c", `exec ${command} "$@"`, "sh", ...args], {
      cwd: place.folder,
      env,
      timeout: CALL_MS_MAX,
      // A separate process group, as a terminal makes one for each command.
      detached: true,
    });
  };

  test.each(readme.shown)("$command prints what the README shows", async ({ command, language, response }) => {
    const printed = await place.run([command]);
    expect(language === "json" ? JSON.parse(printed) : printed).toEqual(language === "json" ? JSON.parse(response) : response);
  });

  describe.each(programs)(`${folder}: $start`, (program) => {
    // Its ten seconds pass while the other cells run.
    let overdue: Promise<Ended>;
    beforeAll(async () => {
      overdue = ended(start(program, ["price", ...UNCACHED], await slowScene.generateKey("wide"), slowScene));
    });

    const call = (tokens: readonly string[], ownKey: string): Promise<Ended> => ended(start(program, ["price", ...tokens], ownKey));
    const cell = (outcome: string, run: () => Promise<string>): void => {
      test(outcome, async () => {
        note({ folder, program: program.name, outcome, result: await run() });
      });
    };

    cell("an answer is REST's", async () => {
      const rest = await scene.rest(`${PRICE}?tokens=${TOKENS.join()}`, key);
      const { code, out, err } = await call(TOKENS, key);
      expect({ code, err, prices: pricesOf(out), calls: scene.relay.started }).toEqual({
        code: 0,
        err: "",
        prices: shown(rest.data),
        calls: 1,
      });
      return "same prices";
    });

    cell("a key pasted with a space", async () => {
      const { code, out, err } = await call([TOKENS[0] ?? ""], `${key} `);
      expect({ code, err, prices: pricesOf(out).length }).toEqual({ code: 0, err: "", prices: 1 });
      return "answered";
    });

    cell("without a key", async () => {
      const rest = await scene.rest(`${PRICE}?tokens=${TOKENS[0]}`, "");
      const { code, out, err } = await call(TOKENS, "");
      expect({ code, out, err, calls: scene.relay.started }).toEqual({ code: 1, out: "", err: refusal(rest), calls: 1 });
      return "KEY_MISSING";
    });

    cell("a wrong argument", async () => {
      const rest = await scene.rest(`${PRICE}?tokens=coingecko:bitcoin,bitcoin`, key);
      const { code, out, err } = await call(["coingecko:bitcoin", "bitcoin"], key);
      expect({ code, out, err, calls: scene.relay.started }).toEqual({ code: 1, out: "", err: refusal(rest), calls: 1 });
      return "its field";
    });

    cell("more than a second's requests", async () => {
      const slow = await scene.generateKey("slow");
      const rest = await refusedForNow(slow);
      const { code, out, err } = await call(TOKENS, slow);
      const attempts = scene.relay.started;
      expect({ code, out, err: err.replace(GRPC_GO_SAYS, "") }).toEqual({ code: 1, out: "", err: refusal(rest) });
      expect(attempts).toBe(maxAttempts);
      return `retry delay, ${attempts} attempts`;
    });

    cell("a second later", async () => {
      const slow = await scene.generateKey("slow");
      await refusedForNow(slow);
      const called = call([TOKENS[0] ?? ""], slow);
      await until(() => scene.relay.responded === 1);
      scene.clock.advance(1000);
      const { code, err } = await called;
      expect({ code, err, attempts: scene.relay.started }).toEqual({ code: 0, err: "", attempts: 2 });
      return "waits, answered";
    });

    cell("a month that is used up", async () => {
      const small = await scene.generateKey("small");
      await scene.rest(`${PRICE}?tokens=${TOKENS[0]}`, small);
      const rest = await scene.rest(`${PRICE}?tokens=${TOKENS[0]}`, small);
      const { code, out, err } = await call(TOKENS, small);
      expect({ code, out, err, attempts: scene.relay.started }).toEqual({ code: 1, out: "", err: refusal(rest), attempts: 1 });
      return "quota, 1 attempt";
    });

    cell("a source that fails", async () => {
      scene.misbehave({ kind: "failing" });
      const called = call(UNCACHED, key);
      await advanceTimeUntil(scene, called);
      const { code, out, err } = await called;
      scene.misbehave({ kind: "none" });
      const attempts = scene.relay.started;
      expect({ code, out, reason: err.split(":")[0] }).toEqual({ code: 1, out: "", reason: "UPSTREAM_FAILED" });
      expect(attempts).toBe(maxAttempts);
      return `${attempts} attempts`;
    });

    cell("a stream of several messages, left in the middle", async () => {
      const rest = await scene.restStream(`/token-price/v1/watch?tokens=${TOKENS.join()}`, key);
      const child = start(program, ["watch", ...TOKENS], key);
      const printed = collect(child);
      let linesBefore = 0;
      for (let message = 0; message < 3; message += 1) {
        const { value: line } = await rest.next();
        const expected = shown(JSON.parse(line));
        await until(() => printed.lines().length >= linesBefore + expected.length || child.exitCode !== null);
        expect(pricesOf(printed.lines().slice(linesBefore).join("\n"))).toEqual(expected);
        linesBefore += expected.length;
        scene.clock.advance(message < 2 ? PRICE_CHANGES_MS : 0);
      }
      // To all processes of the command, as Ctrl-C does.
      process.kill(-(child.pid ?? 0), "SIGINT");
      await once(child, "close");
      await until(() => scene.relay.left === 1);
      expect({ code: child.exitCode, err: printed.err(), calls: scene.relay.started }).toEqual({ code: 0, err: "", calls: 1 });
      return "3 messages, cancelled";
    });

    cell("a stream without a key", async () => {
      const rest = await scene.rest(`${PRICE}?tokens=${TOKENS[0]}`, "");
      const { code, out, err } = await ended(start(program, ["watch", ...TOKENS], ""));
      expect({ code, out, err, calls: scene.relay.started }).toEqual({ code: 1, out: "", err: refusal(rest), calls: 1 });
      return "KEY_MISSING";
    });

    cell("a deadline", async () => {
      const { code, out, err } = await overdue;
      const reason = /^deadline_?exceeded/i.test(err) ? "DEADLINE_EXCEEDED" : err;
      expect({ code, out, reason, calls: slowScene.relay.started }).toEqual({
        code: 1,
        out: "",
        reason: "DEADLINE_EXCEEDED",
        calls: 1,
      });
      return "DEADLINE_EXCEEDED";
    });
  });

  // Uses up the current second of a key on the slow plan, and returns the refusal.
  async function refusedForNow(slow: string): Promise<RestResponse> {
    for (let request = 0; request < REQUESTS_PER_SECOND; request += 1) {
      await scene.rest(`${PRICE}?tokens=${TOKENS[0]}`, slow);
    }
    return scene.rest(`${PRICE}?tokens=${TOKENS[0]}`, slow);
  }
}

async function publishedMaxAttempts(origin: string): Promise<number> {
  const response = await fetch(`${origin}/grpc-service-config.json`);
  const { methodConfig } = (await response.json()) as { methodConfig: readonly { retryPolicy: { maxAttempts: number } }[] };
  return methodConfig[0]?.retryPolicy.maxAttempts ?? 1;
}

function collect(child: ChildProcess): {
  readonly lines: () => readonly string[];
  readonly out: () => string;
  readonly err: () => string;
} {
  const text = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (more: string) => {
    text.out += more;
  });
  child.stderr?.setEncoding("utf8").on("data", (more: string) => {
    text.err += more;
  });
  return { lines: () => text.out.split("\n").slice(0, -1), out: () => text.out, err: () => text.err };
}

async function ended(child: ChildProcess): Promise<Ended> {
  const printed = collect(child);
  const [code] = await once(child, "close");
  // Languages print 0.2 and 0.200, 800 and 800.0.
  const err = printed.err().replaceAll(/(?<=retry after: )[\d.]+/g, (seconds) => String(Number(seconds)));
  return { code, out: printed.out(), err };
}

// Languages print 1e-5 and 0.00001, 100 and 100.0.
const pricesOf = (out: string): readonly Cells[] =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" ").map((word) => (Number.isNaN(Number(word)) ? word : Number(word))));

const shown = (prices: Prices | null): readonly Cells[] => [
  ...(prices?.results.map(({ token, price }) => [token, price, "USD"]) ?? []),
  ...(prices?.missing.map((token) => [token, "has", "no", "price"]) ?? []),
];

// What an example prints for the error that REST returns.
function refusal({ message, error }: RestResponse): string {
  const more = error?.details.flatMap(({ "@type": type, ...detail }) => {
    switch (type) {
      case "type.googleapis.com/google.rpc.RetryInfo":
        return [`  retry after: ${Number.parseFloat(detail.retry_delay ?? "")} s`];
      case "type.googleapis.com/google.rpc.QuotaFailure":
        return detail.violations?.map(({ subject }) => `  quota: ${subject}`) ?? [];
      case "type.googleapis.com/google.rpc.BadRequest":
        return detail.field_violations?.map(({ field, description }) => `  field: ${field} ${description}`) ?? [];
      default:
        return [];
    }
  });
  return [`${error?.reason}: ${message}`, ...(more ?? [])].map((line) => `${line}\n`).join("");
}

// Waits for what another process does. The test's own time limit bounds it.
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await otherProcesses();
  }
}

// Lets other processes run for a moment.
const otherProcesses = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

// Lets time pass as fast as it does for the example: the server pauses between its own attempts.
async function advanceTimeUntil({ clock }: Scene, called: Promise<unknown>): Promise<void> {
  let isOver = false;
  const note = (): void => {
    isOver = true;
  };
  called.then(note, note);
  for (let lastMs = performance.now(); !isOver; ) {
    const nowMs = performance.now();
    clock.advance(nowMs - lastMs);
    lastMs = nowMs;
    await otherProcesses();
  }
}
