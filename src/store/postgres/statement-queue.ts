// One connection to PostgreSQL that stays open and runs one statement after another. It prepares each named statement once.
import pg from "pg";
import type { RunStatement, Statement } from "../repositories/change-log.ts";

export class StatementQueue {
  readonly client: pg.Client;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: pg.ClientConfig) {
    this.client = new pg.Client(options);
  }

  /** Runs a statement once all earlier ones have ended. */
  readonly run: RunStatement = async <Row>({ name, text, values }: Statement) =>
    (await this.#next(() => this.client.query({ name, text, values: [...values] }))).rows as readonly Row[];

  /** Runs statements without parameters in one transaction, once all earlier statements have ended. */
  async runScript(text: string): Promise<void> {
    await this.#next(() => this.client.query(text));
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(work);
    this.#last = running.catch(() => {});
    return running;
  }
}
