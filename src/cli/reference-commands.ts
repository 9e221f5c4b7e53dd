// `quintet routes` and `quintet openapi`: what REST serves, as a table and as a document.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { BitcoinService } from "../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { RadioService } from "../../gen/quintet/radio/v1/radio_pb.js";
import { TokenListService } from "../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { TokenPriceService } from "../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { compileRoutes } from "../rest/routes.ts";
import type { CommandEdge } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { json, table } from "./output.ts";

const OPENAPI_FILE = new URL("../../gen/openapi.json", import.meta.url);

/** Adds the commands. */
export function addReferenceCommands(program: Command, edge: CommandEdge): void {
  program
    .command("routes")
    .description("Print every REST path and the RPC that it calls.")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet routes", "quintet routes --json"))
    .action((options: JsonOption) => {
      const services = [RadioService, TokenPriceService, TokenListService, BitcoinService, FarkleService];
      const { rows } = compileRoutes(services.flatMap(({ methods }) => methods));
      const columns = [{ heading: "method" }, { heading: "path" }, { heading: "rpc" }];
      const cells = rows.map(({ httpMethod, template, rpc }) => [httpMethod, template, rpc]);
      const routes = rows.map(({ httpMethod, template, rpc, service }) => ({ method: httpMethod, path: template, rpc, service }));
      edge.out(options.json ? json({ routes }) : table(columns, cells));
    });
  program
    .command("openapi")
    .description("Print the OpenAPI document.")
    .addHelpText("after", examples("quintet openapi > openapi.json"))
    .action(() => edge.out(readFileSync(OPENAPI_FILE, "utf8")));
}
