// `quintet routes` and `quintet openapi`: the REST interface, as a table and as a document.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { CommandEdge } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { json, table } from "./output.ts";

const OPENAPI_FILE = new URL("../../gen/openapi.json", import.meta.url);
const OPERATORS_FILE = new URL("../../gen/openapi-operator.json", import.meta.url);

export function addReferenceCommands(program: Command, edge: CommandEdge): void {
  program
    .command("routes")
    .description("Print every REST path, what it needs, and the RPC that it calls.")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet routes", "quintet routes --json"))
    .action(async (options: JsonOption) => {
      // Imported here, because no other command needs the services' protos.
      const { restRoutes } = await import("./rest-routes.ts");
      const rows = await restRoutes();
      const columns = [{ heading: "method" }, { heading: "path" }, { heading: "needs" }, { heading: "rpc" }];
      const cells = rows.map(({ httpMethod, template, needs, rpc }) => [httpMethod, template, needs, rpc]);
      const routes = rows.map(({ httpMethod, template, needs, rpc, service }) => ({
        method: httpMethod,
        path: template,
        needs,
        rpc,
        service,
      }));
      edge.out(options.json ? json({ routes }) : table(columns, cells));
    });
  program
    .command("openapi")
    .description("Print the OpenAPI document.")
    .option("--operator", "the operators' document instead of the customers'")
    .addHelpText("after", examples("quintet openapi > openapi.json", "quintet openapi --operator"))
    .action(({ operator = false }: { operator?: boolean }) =>
      edge.out(readFileSync(operator ? OPERATORS_FILE : OPENAPI_FILE, "utf8")),
    );
}
