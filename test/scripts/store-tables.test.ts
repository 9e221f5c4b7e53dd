// The types of the tables follow each kind of statement that a migration may have.
import { expect, test } from "vitest";
import { storeTablesModule } from "../../scripts/store-tables.ts";

const CREATED = "create table accounts (id text primary key, opened_at_ms bigint not null)";

test("a column that a later migration adds is a column of its table", () => {
  const module = storeTablesModule([CREATED, "alter table accounts add column locale text check (locale in ('en', 'de'))"]);
  expect(module).toContain(`  readonly accounts: {
    readonly id: string;
    readonly opened_at_ms: number;
    readonly locale: "en" | "de" | null;
  };
`);
});

test.each([
  "alter table accounts drop column id",
  "alter table accounts add column a text, add column b text",
  "drop table accounts",
])("%s is refused, because its columns would be missed", (statement) => {
  expect(() => storeTablesModule([CREATED, statement])).toThrow("it is unknown which columns it changes");
});
