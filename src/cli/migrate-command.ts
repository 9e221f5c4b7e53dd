// `quintet migrate`: brings the database to the schema of this version.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { examples, type InitOption, initOption, type JsonOption, jsonOption } from "./help.ts";
import { json } from "./output.ts";

export function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command("migrate")
    .description("Bring the database up to date with this version. Run it before the servers of a new version are started.")
    .addOption(initOption())
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet migrate", "QUINTET_DATABASE_URL=postgres://quintet@db.example/quintet quintet migrate"))
    .action(async ({ init = false, ...options }: InitOption & JsonOption) => {
      const applied = await context.migrate(init);
      if (options.json) {
        context.out(json({ applied }));
      } else {
        context.out(applied.length === 0 ? "The database is up to date.\n" : applied.map((name) => `Applied ${name}.\n`).join(""));
      }
    });
}
