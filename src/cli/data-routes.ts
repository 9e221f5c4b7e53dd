// What the five services serve over REST, without the services themselves.
import { BitcoinService } from "../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { RadioService } from "../../gen/quintet/radio/v1/radio_pb.js";
import { TokenListService } from "../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { TokenPriceService } from "../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { compileRoutes, type Routes } from "../rest/routes.ts";

/** All routes, service after service in the order of the contract. */
export function dataRoutes(): Routes {
  const services = [RadioService, TokenPriceService, TokenListService, BitcoinService, FarkleService];
  return compileRoutes(services.flatMap(({ methods }) => methods));
}
