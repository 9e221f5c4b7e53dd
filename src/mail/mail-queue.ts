// Queues e-mails. A caller passes a function that writes the e-mail, and does not wait for it, so the time of its response reveals neither
// a slow mail server nor whether there is an account. The queue is bounded, few e-mails are sent at a time, and an e-mail that could not be
// sent is tried again later. The queue is in memory: e-mails in it when the server stops are lost, and have to be requested again.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Mail, MailTransport } from "./mail.ts";

/** Writes an e-mail when it is about to be sent; undefined if none should be. */
export type MailDraft = () => Promise<Mail | undefined>;

interface MailQueueOptions {
  readonly transport: MailTransport;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "warn" | "error">;
}

const WAITING_MAX = 1000;
const CONCURRENCY_MAX = 4;
/** The pause before each further attempt, in milliseconds. */
const PAUSES_MS = [5000, 30_000, 120_000, 600_000];

interface Waiting {
  readonly draft: MailDraft;
  mail: Mail | undefined;
  attempts: number;
}

export class MailQueue {
  readonly #options: MailQueueOptions;
  readonly #ready: Waiting[] = [];
  readonly #pauses = new Map<Waiting, () => void>();
  #inProgress = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(options: MailQueueOptions) {
    this.#options = options;
  }

  /** Adds an e-mail. Returns false if too many are queued, or the queue is closed. */
  add(draft: MailDraft): boolean {
    if (this.#isClosed || this.#ready.length + this.#pauses.size + this.#inProgress >= WAITING_MAX) {
      return false;
    }
    this.#ready.push({ draft, mail: undefined, attempts: 0 });
    this.#next();
    return true;
  }

  /**
   * Accepts no more e-mails, tries once to send those that are ready, and drops those that would be tried again later. Resolves after
   * `withinMs` at the latest.
   */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#pauses.values()) {
      cancel();
    }
    this.#pauses.clear();
    if (this.#inProgress > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#options.clock.after(withinMs, resolve);
        this.#onIdle = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#ready.length = 0;
    this.#options.transport.close();
  }

  #next(): void {
    while (this.#inProgress < CONCURRENCY_MAX) {
      const waiting = this.#ready.shift();
      if (waiting === undefined) {
        break;
      }
      this.#inProgress += 1;
      // In a later turn, so that the caller's response is sent first.
      setImmediate(() => void this.#attempt(waiting));
    }
    if (this.#inProgress === 0) {
      this.#onIdle?.();
    }
  }

  async #attempt(waiting: Waiting): Promise<void> {
    waiting.attempts += 1;
    const failedWith = await this.#try(waiting);
    this.#inProgress -= 1;
    const pauseMs = PAUSES_MS[waiting.attempts - 1];
    if (failedWith !== undefined) {
      const { attempts } = waiting;
      if (pauseMs === undefined || this.#isClosed) {
        this.#options.log.error({ code: failedWith, attempts }, "an e-mail was dropped after its last attempt");
      } else {
        this.#options.log.warn(
          { code: failedWith, attempts, retry_ms: pauseMs },
          "an e-mail could not be sent; it will be tried again",
        );
        this.#pauses.set(
          waiting,
          this.#options.clock.after(pauseMs, () => {
            this.#pauses.delete(waiting);
            this.#ready.push(waiting);
            this.#next();
          }),
        );
      }
    }
    this.#next();
  }

  // Returns the code of the failure if the e-mail may be tried again; undefined if it was sent, was refused, or need not be sent.
  async #try(waiting: Waiting): Promise<string | undefined> {
    try {
      waiting.mail ??= await waiting.draft();
    } catch (error) {
      return (error as { readonly code?: string }).code ?? (error instanceof Error ? error.name : "UNKNOWN");
    }
    if (waiting.mail === undefined) {
      return undefined;
    }
    const result = await this.#options.transport.send(waiting.mail);
    if (result.outcome === "refused") {
      this.#options.log.error({ code: result.code, attempts: waiting.attempts }, "an e-mail was permanently refused");
    }
    return result.outcome === "failed" ? result.code : undefined;
  }
}
