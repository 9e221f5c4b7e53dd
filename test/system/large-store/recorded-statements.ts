// Records the statements that the store sends to PostgreSQL, how long each takes, and how PostgreSQL plans it.
import pg from "pg";
import { inDatabase } from "../../fixtures/servers/postgres.ts";

/** A statement as it was sent. */
export interface Statement {
  /** During which call it was sent. */
  readonly call: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly ms: number;
}

/** Begins to record every statement of this process, and returns what it records and a function that ends it. */
export function recordStatements(callNow: () => string): { readonly statements: Statement[]; readonly end: () => void } {
  const statements: Statement[] = [];
  const original = pg.Client.prototype.query;
  const recording = async function (
    this: pg.Client,
    ...sent: [text: string | pg.QueryConfig, values?: unknown[]]
  ): Promise<unknown> {
    const beginMs = performance.now();
    const call = callNow();
    const response = await (original as (...all: unknown[]) => unknown).call(this, ...sent);
    if (call !== "") {
      const [query, given = []] = sent;
      const { text, values = given } = typeof query === "string" ? { text: query } : query;
      statements.push({ call, text, values, ms: performance.now() - beginMs });
    }
    return response;
  };
  // The driver has many signatures; the store uses two of them.
  pg.Client.prototype.query = recording as unknown as typeof original;
  return {
    statements,
    end() {
      pg.Client.prototype.query = original;
    },
  };
}

// PostgreSQL plans none of these.
const UNPLANNED = /^\s*(begin|start transaction|commit|rollback|listen|unlisten|set|lock)\b/i;

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

/** How PostgreSQL would run a statement. */
export interface StatementPlan extends Statement {
  /** The tables that it would read from beginning to end. */
  readonly scanned: readonly string[];
  /** The indexes that it would use. */
  readonly indexes: readonly string[];
}

/** The plans of these statements, in the database as it is now. */
export async function plansOf(url: string, statements: readonly Statement[]): Promise<readonly StatementPlan[]> {
  return inDatabase(url, async (client) => {
    const plans: StatementPlan[] = [];
    for (const statement of statements.filter(({ text }) => !UNPLANNED.test(text))) {
      const { rows } = await client.query(`explain (format json) ${statement.text}`, [...statement.values]);
      const nodes = nodesOf(rows[0]["QUERY PLAN"][0].Plan);
      plans.push({
        ...statement,
        scanned: nodes.flatMap((node) => (node["Node Type"] === "Seq Scan" ? (node["Relation Name"] ?? []) : [])),
        indexes: [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))],
      });
    }
    return plans;
  });
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
