// How operators find accounts: by part of their name or e-mail address, page by page.
import { type SqlBool, sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { AccountPage, AccountQuery } from "../records.ts";
import type { Queries } from "../schema.ts";
import { toAccount } from "./accounts.ts";

/** A page, newest first. Runs two statements, so an account that is created between them may be missing from one of the two results. */
export async function accountPage({ db, readRows }: Pick<Backend, "db" | "readRows">, query: AccountQuery): Promise<AccountPage> {
  // PostgreSQL refuses a string with a null character, and no account's name has one.
  if (query.search.includes("\0")) {
    return { total: 0, accounts: [] };
  }
  const [counted] = await readRows(
    matching(db, query)
      .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("total"))
      .compile(),
  );
  // The rows before the page are skipped using only the index.
  const ids = matching(db, query)
    .select("id")
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .limit(query.limit)
    .offset(query.offset);
  const rows = await readRows(
    db.selectFrom("accounts").selectAll().where("id", "in", ids).orderBy("created_at_ms", "desc").orderBy("id").compile(),
  );
  return { total: counted?.total ?? 0, accounts: rows.map(toAccount) };
}

const matching = (db: Queries, { search, onlySuspended, onlyOperators }: AccountQuery) =>
  db
    .selectFrom("accounts")
    .where("deleted_at_ms", "is", null)
    .$if(onlySuspended, (select) => select.where("suspended", "=", 1))
    .$if(onlyOperators, (select) => select.where("operator", "=", 1))
    .$if(search !== "", (select) => {
      const text = search.toLowerCase();
      // Escaped, so that no character is a wildcard. The databases differ in how they compare case, so both sides are in lower case.
      const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      return select.where(
        sql<SqlBool>`(id = ${text} or name like ${pattern} escape '\\' or lower(email) like ${pattern} escape '\\')`,
      );
    });
