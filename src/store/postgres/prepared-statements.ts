// Which statements PostgreSQL prepares under a name, so that a connection parses and plans them once. Planning the statements of leases
// and lookups takes longer than running them.
import pg from "pg";
import { LruMap } from "../../runtime/lru-map.ts";

// A statement is prepared when it is used for the fifth time, and each connection keeps at most 100, much as psycopg does by default.
// https://www.psycopg.org/psycopg3/docs/advanced/prepare.html
const USES_MIN = 5;
const NAMES_MAX = 100;
const COUNTED_MAX = 1000;

// A migration has changed what a prepared statement returns. https://www.postgresql.org/docs/current/errcodes-appendix.html
const FEATURE_NOT_SUPPORTED = "0A000";

/** The names of a pool's statements. */
export class PreparedStatements {
  readonly #uses = new LruMap<string, number>(COUNTED_MAX);
  readonly #names = new Map<string, string>();
  #isOff = false;

  /** The name of a statement that is about to run; undefined if it runs unprepared. */
  nameOf(text: string): string | undefined {
    if (this.#isOff) {
      return undefined;
    }
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= NAMES_MAX) {
      return name;
    }
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < USES_MIN) {
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const added = `quintet_${this.#names.size + 1}`;
    this.#names.set(text, added);
    return added;
  }

  /**
   * Whether a statement failed because it was prepared before a migration. It has changed nothing, and can run unprepared. From then on no
   * statement is prepared, because a server of the version before the migration is about to be replaced.
   */
  isOutdated(error: unknown): boolean {
    const isOutdated = error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED;
    this.#isOff ||= isOutdated;
    return isOutdated;
  }
}
