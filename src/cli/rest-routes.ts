// What REST serves and what a caller needs for it, without the services themselves.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { BitcoinService } from "../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { RadioService } from "../../gen/quintet/radio/v1/radio_pb.js";
import { TokenListService } from "../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { TokenPriceService } from "../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { needsSession } from "../account/access.ts";
import { compileRoutes, type Routes } from "../gateway/rest/routes.ts";

/** What a caller needs: an API key, a session, or nothing. */
type Need = "key" | "session" | "nothing";

/** One HTTP method and path of one RPC, and what it needs. */
type RestRoute = Routes["rows"][number] & { readonly needs: Need };

const DATA_SERVICES: readonly DescService[] = [RadioService, TokenPriceService, TokenListService, BitcoinService, FarkleService];
const ACCOUNT_SERVICES: readonly DescService[] = [SignInService, AccountService];

const ofData = (): Need => "key";
const ofAccount = (method: DescMethod): Need => (needsSession(method) ? "session" : "nothing");

/** All routes, service after service: those of the data in the order of the contract, then those of the account. */
export function restRoutes(): readonly RestRoute[] {
  return [...routesOf(DATA_SERVICES, ofData), ...routesOf(ACCOUNT_SERVICES, ofAccount)];
}

const routesOf = (services: readonly DescService[], needOf: (method: DescMethod) => Need): readonly RestRoute[] =>
  services
    .flatMap(({ methods }) => methods)
    .flatMap((method) => compileRoutes([method]).rows.map((row) => ({ ...row, needs: needOf(method) })));
