// The mail queue: how many e-mails may wait, which are retried and when. Callers do not wait for the server.
import { describe, expect, test } from "vitest";
import type { Mail, MailTransport, SendResult } from "../../src/mail/mail.ts";
import { MailQueue } from "../../src/mail/mail-queue.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const mail = (to: string): Mail => ({ to, subject: "secret subject", text: "secret text" });

// A transport whose results the test sets.
function open(response: (mail: Mail) => Promise<SendResult> = () => Promise.resolve({ outcome: "sent" })) {
  const clock = createManualClock({ nowMs: 0 });
  const sent: string[] = [];
  const logged: unknown[] = [];
  let isClosed = false;
  const transport: MailTransport = {
    send(each) {
      sent.push(each.to);
      return response(each);
    },
    close() {
      isClosed = true;
    },
  };
  const write = (fields: unknown, message?: unknown): void => void logged.push([fields, message]);
  const queue = new MailQueue({ transport, clock, log: { warn: write, error: write } as never });
  return { queue, clock, sent, logged, isClosed: () => isClosed };
}

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) {
    await new Promise(setImmediate);
  }
};

describe("an e-mail", () => {
  test("is composed and sent after the request for it has completed", async () => {
    const { queue, sent } = open();
    let isMade = false;
    const isTaken = queue.add(async () => {
      isMade = true;
      return mail("a");
    });
    expect([isTaken, isMade, sent]).toEqual([true, false, []]);
    await turns();
    expect(sent).toEqual(["a"]);
  });

  test("is not sent if there is none to send", async () => {
    const { queue, sent, logged } = open();
    queue.add(async () => undefined);
    await turns();
    expect([sent, logged]).toEqual([[], []]);
  });

  test("is tried five times with growing pauses, and then dropped; it is composed once, and none of it is logged", async () => {
    const { queue, clock, sent, logged } = open(() => Promise.resolve({ outcome: "failed", code: "ETIMEDOUT" }));
    let created = 0;
    queue.add(async () => mail(`mail ${++created}`));
    const counts: number[] = [];
    for (const pauseMs of [0, 5000, 30_000, 120_000, 600_000, 6_000_000]) {
      clock.advance(Math.max(0, pauseMs - 1));
      await turns();
      const before = sent.length;
      clock.advance(pauseMs === 0 ? 0 : 1);
      await turns();
      counts.push(before, sent.length);
    }
    expect(counts).toEqual([1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]);
    expect(new Set(sent)).toEqual(new Set(["mail 1"]));
    const again = "an e-mail could not be sent; it will be tried again";
    expect(logged).toEqual([
      [{ code: "ETIMEDOUT", attempts: 1, retry_ms: 5000 }, again],
      [{ code: "ETIMEDOUT", attempts: 2, retry_ms: 30_000 }, again],
      [{ code: "ETIMEDOUT", attempts: 3, retry_ms: 120_000 }, again],
      [{ code: "ETIMEDOUT", attempts: 4, retry_ms: 600_000 }, again],
      [{ code: "ETIMEDOUT", attempts: 5 }, "an e-mail was dropped after its last attempt"],
    ]);
  });

  test("that is permanently refused is not retried", async () => {
    const { queue, clock, sent, logged } = open(() => Promise.resolve({ outcome: "refused", code: "EENVELOPE 550" }));
    queue.add(async () => mail("a"));
    await turns();
    clock.advance(6_000_000);
    await turns();
    expect([sent, logged]).toEqual([["a"], [[{ code: "EENVELOPE 550", attempts: 1 }, "an e-mail was permanently refused"]]]);
  });

  test("that cannot be composed because the store does not respond is retried", async () => {
    const { queue, clock, sent } = open();
    let tries = 0;
    queue.add(() => (++tries === 1 ? Promise.reject(new Error("away")) : Promise.resolve(mail("a"))));
    await turns();
    expect(sent).toEqual([]);
    clock.advance(5000);
    await turns();
    expect(sent).toEqual(["a"]);
  });
});

test("at most four are sent at a time, a thousand may wait, and more are not accepted", async () => {
  const { promise: never } = Promise.withResolvers<SendResult>();
  const { queue, sent } = open(() => never);
  const taken = Array.from({ length: 1003 }, (_, index) => queue.add(async () => mail(`${index}`)));
  expect(taken.filter(Boolean)).toHaveLength(1000);
  await turns();
  expect(sent).toEqual(["0", "1", "2", "3"]);
});

test("a queue that closes sends what is ready, drops what waits for a retry, and waits no longer than its limit", async () => {
  const { promise: never } = Promise.withResolvers<SendResult>();
  const { queue, clock, sent, isClosed } = open(({ to }) =>
    to === "slow" ? never : Promise.resolve(to === "failing" ? { outcome: "failed", code: "X" } : { outcome: "sent" }),
  );
  queue.add(async () => mail("failing"));
  await turns();
  queue.add(async () => mail("slow"));
  queue.add(async () => mail("ready"));
  let isOver = false;
  const closing = queue.close(2000).then(() => {
    isOver = true;
  });
  await turns();
  expect([sent, isOver]).toEqual([["failing", "slow", "ready"], false]);
  clock.advance(2000);
  await closing;
  clock.advance(6_000_000);
  await turns();
  expect({ sent, isClosed: isClosed(), takesMore: queue.add(async () => mail("late")) }).toEqual({
    sent: ["failing", "slow", "ready"],
    isClosed: true,
    takesMore: false,
  });
});
