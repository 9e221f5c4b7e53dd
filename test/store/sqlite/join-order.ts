// Records the statements that SQLite prepares, and finds those that read a table again for each row of a list that was given.
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

/** Records every statement of a test file or `describe`, and returns those whose given rows are not read first. */
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
          if (loops.findIndex((loop) => GIVEN.test(loop)) > 0) {
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
