// Records the statements that SQLite prepares, and finds those that read a large part of a table for each row of a list that was given.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { afterAll, beforeAll } from "vitest";

interface PlanRow {
  readonly parent: number;
  readonly detail: string;
}

/** A statement, and its loops in the order in which SQLite would run them. */
interface MisorderedStatement {
  readonly sql: string;
  readonly loops: readonly string[];
}

const QUERY = /^\s*(?:with|select|insert|update|delete)\b/i;
const LOOP = /^(?:SCAN|SEARCH) /;
const GIVEN = /^SCAN json_each /;
/** Looks up rows by an id, theirs or another row's. */
const LOOKUP = /^SEARCH .* \((?:\w+_)?id=\?/;

/** Records every statement of a test file or `describe`, and returns those that read given rows late, or look up others without an id. */
export function recordMisorderedJoins(): readonly MisorderedStatement[] {
  const misordered: MisorderedStatement[] = [];
  const seen = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  beforeAll(() => {
    DatabaseSync.prototype.prepare = function prepareAndPlan(sql, ...options): StatementSync {
      if (!seen.has(sql) && QUERY.test(sql)) {
        seen.add(sql);
        const rows = prepare.call(this, `explain query plan ${sql}`).all() as unknown as PlanRow[];
        for (const siblings of Map.groupBy(rows, ({ parent }) => parent).values()) {
          const loops = siblings.map(({ detail }) => detail).filter((detail) => LOOP.test(detail));
          const isGiven = loops.some((loop) => GIVEN.test(loop));
          if (isGiven && !loops.every((loop, index) => (index === 0 ? GIVEN : LOOKUP).test(loop))) {
            misordered.push({ sql, loops });
          }
        }
      }
      return prepare.call(this, sql, ...options);
    };
  });
  afterAll(() => {
    DatabaseSync.prototype.prepare = prepare;
  });
  return misordered;
}
