// The account services as served by a worker. Each call is forwarded to the account RPC. The session cookie, which only browsers
// have, is set and cleared here.
import type { DescService, Message } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { SignInRequest, SignInResponse } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { ACCOUNT_SERVICES, type AccountMethod, accountMethodOf, needsSession } from "../../account/account-methods.ts";
import { originRefused } from "../../account/refusals.ts";
import type { AccountRpc } from "../../account/rpc/account-rpc.ts";
import type { AccountCall } from "../../account/rpc/bound-method.ts";
import { Failure } from "../../problem/failure.ts";
import type { Log } from "../../runtime/log.ts";
import type { CheckedService } from "../rpc/method.ts";
import { type RequestContext, requestContextKey } from "./request-context.ts";
import { createOpenCheck, createSessionCheck } from "./session-check.ts";
import { endedCookie, sessionCookie } from "./session-cookie.ts";

type Call = (input: Message, context: HandlerContext) => Promise<Message> | AsyncIterable<Message>;

/** The longest body that these services accept. None of their messages is longer, and some of their callers are unknown. */
export const BODY_BYTES_MAX = 4096;

interface AccountServicesOptions {
  readonly accountRpc: AccountRpc;
  readonly log: Log;
  /** The longest request body of any service. */
  readonly bodyBytesMax: number;
}

export function createAccountServices({ accountRpc, log, ...bounds }: AccountServicesOptions): readonly CheckedService[] {
  const bytesMax = Math.min(BODY_BYTES_MAX, bounds.bodyBytesMax);
  const messageLimits = { bodyBytesMax: bytesMax, messageBytesMax: bytesMax, allowsGzip: false, isCallerKnown: true };
  // The bodies of unknown callers share a smaller memory budget.
  const openCheck = { ...createOpenCheck({ accountRpc, log }), messageLimits: { ...messageLimits, isCallerKnown: false } };
  const sessionCheck = { ...createSessionCheck({ accountRpc, log }), messageLimits };
  return ACCOUNT_SERVICES.map((desc) => ({
    desc,
    implementation: implementationOf(desc, accountRpc),
    accessCheck: sessionCheck,
    otherAccessChecks: new Map(
      desc.methods.filter((method) => !needsSession(accountMethodOf(method))).map((method) => [method, openCheck]),
    ),
  }));
}

const implementationOf = (service: DescService, accountRpc: AccountRpc): ServiceImpl<DescService> =>
  Object.fromEntries(
    service.methods.map((desc) => [desc.localName, callOf(accountMethodOf(desc), accountRpc)]),
  ) as ServiceImpl<DescService>;

function callOf({ desc, fullName, session }: AccountMethod, accountRpc: AccountRpc): Call {
  const forwarded = (input: Message, context: RequestContext): AccountCall => {
    const { peer, userAgent, token, namedAccount, idempotencyKey, admission } = context;
    return { method: fullName, input, caller: { peer, userAgent, token, namedAccount, idempotencyKey, admission } };
  };
  if (desc.methodKind === "server_streaming") {
    return (input, { values, signal }) => accountRpc.stream(forwarded(input, values.get(requestContextKey)), signal);
  }
  return async (input, context) => {
    const requestContext = context.values.get(requestContextKey);
    if (session === "begins") {
      requireOwnPage(input, requestContext);
    }
    const response = await accountRpc.call(forwarded(input, requestContext));
    if (session === "begins") {
      moveIntoCookie(input, response, context);
    }
    if (session === "ends" && requestContext.hasCookie) {
      context.responseHeader.append("set-cookie", endedCookie(requestContext.isSecure));
    }
    return response;
  };
}

function requireOwnPage(input: Message, { isForeignPage }: RequestContext): void {
  if ((input as SignInRequest).useCookie && isForeignPage) {
    throw new Failure(originRefused());
  }
}

// A caller who asks for the cookie gets the session's token in it, and not in the message.
function moveIntoCookie(input: Message, response: Message, { values, responseHeader }: HandlerContext): void {
  const { session } = response as SignInResponse;
  if ((input as SignInRequest).useCookie && session?.token !== undefined) {
    responseHeader.append("set-cookie", sessionCookie(session.token, values.get(requestContextKey).isSecure));
    delete session.token;
  }
}
