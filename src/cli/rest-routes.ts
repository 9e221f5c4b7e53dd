// All REST routes and what a caller needs for each, read from the protos without starting the services.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { ACCOUNT_SERVICES, accountMethodOf } from "../account/account-methods.ts";
import { compileRoutes, type Routes } from "../gateway/rest/routes.ts";
import { loadContracts } from "../services/registry.ts";

/** What a caller needs: an API key, a session, an operator's session, or nothing. */
type Need = "key" | "session" | "operator" | "nothing";

/** One HTTP method and path of one RPC, and what it needs. */
type RestRoute = Routes["rows"][number] & { readonly needs: Need };

const needOfDataMethod = (): Need => "key";
const needOfAccountMethod = (method: DescMethod): Need => {
  const { access } = accountMethodOf(method);
  return access === "public" ? "nothing" : access;
};

/** All routes by service: first the data services, then the account services. */
export const restRoutes = async (): Promise<readonly RestRoute[]> => [
  ...routesOf(await loadContracts(), needOfDataMethod),
  ...routesOf(ACCOUNT_SERVICES, needOfAccountMethod),
];

const routesOf = (services: readonly DescService[], needOf: (method: DescMethod) => Need): readonly RestRoute[] =>
  services
    .flatMap(({ methods }) => methods)
    .flatMap((method) => compileRoutes([method]).rows.map((row) => ({ ...row, needs: needOf(method) })));
