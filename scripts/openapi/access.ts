// What a caller needs for an operation, and how the document says so.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { ACCOUNT_METHODS, ACCOUNT_SERVICE_ACCESS } from "../../src/account/account-methods.ts";
import { rpcPath } from "../../src/gateway/rpc/rpc-path.ts";
import type { Access } from "../../src/problem/reason-rule.ts";
import type { Schema } from "./json-schema.ts";

/** What a caller needs for the method. */
export const accessOf = (method: DescMethod): Access => ACCOUNT_METHODS.get(rpcPath(method).slice(1))?.access ?? "key";

/** What a caller needs for the service, except for the methods that anybody may call. */
export const accessOfService = ({ typeName }: DescService): Access => ACCOUNT_SERVICE_ACCESS.get(typeName) ?? "key";

/** Access → what an operation says about it; undefined if it is the document's default. */
export const SECURITY: Readonly<Record<Access, readonly Schema[] | undefined>> = {
  key: undefined,
  session: [{ session: [] }, { sessionCookie: [] }],
  operator: [{ session: [] }, { sessionCookie: [] }],
  nothing: [],
  public: [],
};

/** The document's default. */
export const SECURITY_OF_ALL: readonly Schema[] = [{ gatewayKey: [] }];

/** For `components.securitySchemes`. */
export const securitySchemes: Readonly<Record<string, Schema>> = {
  gatewayKey: {
    type: "apiKey",
    in: "header",
    name: "x-gateway-key",
    description: "An API key: `qk_live_` (`qk_test_` in a sandbox) followed by 38 or 40 letters and digits.",
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
      "The same token in a cookie, whose name begins with `__Host-` if the page is secure. It counts only if the page's origin is the server's own.",
  },
};
