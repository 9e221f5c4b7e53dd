// All REST routes and what a caller needs for each, read from the contract without starting the services.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import { isForOperators, needsSession } from "../account/access.ts";
import { compileRoutes, type Routes } from "../gateway/rest/routes.ts";
import { loadContracts } from "../services/registry.ts";

/** What a caller needs: an API key, a session, an operator's session, or nothing. */
type Need = "key" | "session" | "operator" | "nothing";

/** One HTTP method and path of one RPC, and what it needs. */
type RestRoute = Routes["rows"][number] & { readonly needs: Need };

const ACCOUNT_SERVICES: readonly DescService[] = [SignInService, AccountService, OperatorService];

const ofData = (): Need => "key";
const ofAccount = (method: DescMethod): Need =>
  isForOperators(method) ? "operator" : needsSession(method) ? "session" : "nothing";

/** All routes, service after service: first the data services, then those of the account. */
export const restRoutes = async (): Promise<readonly RestRoute[]> => [
  ...routesOf(await loadContracts(), ofData),
  ...routesOf(ACCOUNT_SERVICES, ofAccount),
];

const routesOf = (services: readonly DescService[], needOf: (method: DescMethod) => Need): readonly RestRoute[] =>
  services
    .flatMap(({ methods }) => methods)
    .flatMap((method) => compileRoutes([method]).rows.map((row) => ({ ...row, needs: needOf(method) })));
