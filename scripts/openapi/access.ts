// What a caller needs for a service, and how the document says so.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import { isPublic } from "../../src/account/access.ts";
import type { Schema } from "./schema.ts";

/** An API key for the data services, a session for the account, an operator's session for all accounts, nothing to sign in and for what anybody may read. */
export type Access = "key" | "session" | "operator" | "nothing" | "public";

const ACCOUNT_PACKAGE = "quintet.account.";

/** What a caller needs for the method. */
export const accessOf = (method: DescMethod): Access => (isPublic(method) ? "public" : accessOfService(method.parent));

/** What a caller needs for the service, but for the methods that anybody may call. */
export function accessOfService({ typeName }: DescService): Access {
  if (typeName === SignInService.typeName) {
    return "nothing";
  }
  if (typeName === OperatorService.typeName) {
    return "operator";
  }
  return typeName.startsWith(ACCOUNT_PACKAGE) ? "session" : "key";
}

/** Access → what an operation says of it; undefined where it is what the document says for all. */
export const SECURITY: Readonly<Record<Access, readonly Schema[] | undefined>> = {
  key: undefined,
  session: [{ session: [] }, { sessionCookie: [] }],
  operator: [{ session: [] }, { sessionCookie: [] }],
  nothing: [],
  public: [],
};

/** What the document says for all. */
export const SECURITY_OF_ALL: readonly Schema[] = [{ gatewayKey: [] }];

/** For `components.securitySchemes`. */
export const securitySchemes: Readonly<Record<string, Schema>> = {
  gatewayKey: {
    type: "apiKey",
    in: "header",
    name: "x-gateway-key",
    description: "An API key: `qk_live_`, or `qk_test_` in a sandbox, and 38 letters and digits.",
  },
  session: {
    type: "http",
    scheme: "bearer",
    description: "The token of a session, which the operations of SignIn begin.",
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "quintet_session",
    description:
      "The same token in a cookie, whose name begins with `__Host-` where the page is secure. It counts only where the page's origin is the server's own.",
  },
};
