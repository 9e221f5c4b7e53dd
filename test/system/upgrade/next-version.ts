// The next version of Quintet: a copy of the sources with one more migration. Nothing has been released yet, so there is no earlier version
// to upgrade from, and the current one takes its place.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../fixtures/root.ts";

const MIGRATIONS = "src/store/migrate.ts";

/** A migration. */
export interface NextMigration {
  readonly name: string;
  /** Whether the version before can work with the migrated schema. */
  readonly additive: boolean;
  /** What it does, in SQL that both databases understand. */
  readonly sql: string;
}

/**
 * Creates the version in an empty folder, and returns the path of its first file. Throws if the list of migrations has changed its form.
 */
export function nextVersion(folder: string, { name, additive, sql }: NextMigration): string {
  for (const part of ["src", "gen", "plans"]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "build"));
  symlinkSync(join(ROOT, "build/portal"), join(folder, "build/portal"));
  const edit = (path: string, change: (text: string) => string): void => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const changed = change(text);
    if (changed === text) {
      throw new Error(`${path} has nothing that could be changed.`);
    }
    writeFileSync(join(folder, path), changed);
  };
  edit("package.json", (text) => text.replace(/"version": ".*"/, '"version": "99.0.0"'));
  edit(MIGRATIONS, (text) =>
    text
      .replace(
        "\nimport { migrationsAndPeers",
        `\nimport { up as next } from "./migrations/${name}.ts";\nimport { migrationsAndPeers`,
      )
      .replace(/(const MIGRATIONS[^;]*?),?\s*\];/, `$1, { name: "${name}", additive: ${additive}, up: next }];`),
  );
  if (!additive) {
    // A version that is incompatible with the one before has its own protocol.
    edit("src/store/repositories/change-log.ts", (text) => text.replace(/PROTOCOL = \d+/, "PROTOCOL = 999"));
  }
  writeFileSync(
    join(folder, `src/store/migrations/${name}.ts`),
    `import { type Kysely, sql } from "kysely";\nexport const up = async (db: Kysely<never>): Promise<void> => {\n  await sql\`${sql}\`.execute(db);\n};\n`,
  );
  return join(folder, "src/start.js");
}
