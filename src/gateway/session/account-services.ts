// The account services as a worker serves them. Each call goes on to the account RPC. The session cookie, which only browsers have, is set and
// cleared here.
import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, DescService, Message } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { type SignInRequest, type SignInResponse, SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { isPublic } from "../../account/access.ts";
import { originRefused } from "../../account/refusals.ts";
import type { AccountRpc } from "../../account/rpc/account-rpc.ts";
import type { AccountCaller } from "../../account/rpc/bound-method.ts";
import { Failure } from "../../problem/failure.ts";
import type { Log } from "../../runtime/log.ts";
import type { CheckedService } from "../rpc/method.ts";
import { rpcPath } from "../rpc/rpc-path.ts";
import { type RequestContext, requestContextKey } from "./request-context.ts";
import { createOpenCheck, createSessionCheck } from "./session-check.ts";
import { endedCookie, sessionCookie } from "./session-cookie.ts";

type Call = (input: Message, context: HandlerContext) => Promise<Message> | AsyncIterable<Message>;

/** The longest body that the services take. None of their messages is longer, and some of their callers are not known. */
export const BODY_BYTES_MAX = 4096;

// They begin a session.
const BEGINNING_METHODS: ReadonlySet<DescMethod> = new Set([SignInService.method.signUp, SignInService.method.signIn]);

// They end the session that they are called with.
const ENDING_METHODS: ReadonlySet<DescMethod> = new Set([AccountService.method.signOut, AccountService.method.deleteAccount]);

/** What the services work with. */
export interface AccountServicesOptions {
  readonly accountRpc: AccountRpc;
  readonly log: Log;
  /** The longest request body of any service. */
  readonly bodyBytesMax: number;
}

/** The services with their access checks. */
export function createAccountServices({ accountRpc, log, ...bounds }: AccountServicesOptions): readonly CheckedService[] {
  const bytesMax = Math.min(BODY_BYTES_MAX, bounds.bodyBytesMax);
  const messageLimits = { bodyBytesMax: bytesMax, messageBytesMax: bytesMax, takesGzip: false, isCallerKnown: true };
  const methods = new Map(
    [AccountService, SignInService, OperatorService]
      .flatMap((service) => service.methods)
      .map((method) => [rpcPath(method).slice(1), method]),
  );
  const ask = async (name: string, requestContext: AccountCaller): Promise<void> => {
    const method = methods.get(name);
    if (method === undefined) {
      throw new Error(`No account service has the method ${name}`);
    }
    await accountRpc.admit(method, requestContext);
  };
  const bring = (method: DescMethodUnary, input: Message, { peer, userAgent, token }: RequestContext): Promise<Message> =>
    accountRpc.call(method, input, { peer, userAgent, token });
  const plain =
    (method: DescMethodUnary): Call =>
    (input, context) =>
      bring(method, input, context.values.get(requestContextKey));
  const streaming =
    (method: DescMethodServerStreaming): Call =>
    (input, { values, signal }) => {
      const { peer, token } = values.get(requestContextKey);
      return accountRpc.stream(method, input, { peer, token }, signal);
    };
  const beginning =
    (method: DescMethodUnary): Call =>
    async (input, context) => {
      const requestContext = context.values.get(requestContextKey);
      const { useCookie = false } = input as SignInRequest;
      if (useCookie && requestContext.isForeignPage) {
        throw new Failure(originRefused());
      }
      const answer = await bring(method, input, requestContext);
      const { session } = answer as SignInResponse;
      if (useCookie && session?.token !== undefined) {
        context.responseHeader.append("set-cookie", sessionCookie(session.token, requestContext.isSecure));
        delete session.token;
      }
      return answer;
    };
  const ending =
    (method: DescMethodUnary): Call =>
    async (input, context) => {
      const requestContext = context.values.get(requestContextKey);
      const answer = await bring(method, input, requestContext);
      if (requestContext.hasCookie) {
        context.responseHeader.append("set-cookie", endedCookie(requestContext.isSecure));
      }
      return answer;
    };
  // The bodies of unknown callers share a smaller memory budget.
  const openCheck = { ...createOpenCheck({ ask, log }), messageLimits: { ...messageLimits, isCallerKnown: false } };
  const sessionCheck = { ...createSessionCheck({ ask, log }), messageLimits };
  return [
    {
      desc: AccountService,
      implementation: implementationOf(AccountService, (method) => {
        if (method.methodKind === "server_streaming") {
          return streaming(method as DescMethodServerStreaming);
        }
        return (ENDING_METHODS.has(method) ? ending : plain)(method as DescMethodUnary);
      }),
      accessCheck: sessionCheck,
      otherAccessChecks: new Map(AccountService.methods.filter(isPublic).map((method) => [method, openCheck])),
    },
    {
      desc: OperatorService,
      implementation: implementationOf(OperatorService, (method) => plain(method as DescMethodUnary)),
      accessCheck: sessionCheck,
    },
    {
      desc: SignInService,
      implementation: implementationOf(SignInService, (method) =>
        (BEGINNING_METHODS.has(method) ? beginning : plain)(method as DescMethodUnary),
      ),
      accessCheck: openCheck,
    },
  ];
}

function implementationOf(service: DescService, callOf: (method: DescMethod) => Call): ServiceImpl<DescService> {
  const calls = service.methods.map((method) => [method.localName, callOf(method)]);
  return Object.fromEntries(calls) as ServiceImpl<DescService>;
}
