// Handles the dry runs of calls through connect-es, in place of their handlers. By then connect-es has read the input, and it is
// valid.
import { create, type DescMethod, type DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { DRY_RUN_HEADERS } from "../operation.ts";
import { streamKey } from "./connect-interceptor.ts";

type Handler = (input: unknown, context: HandlerContext) => unknown;
type Handlers = Readonly<Record<string, Handler | undefined>>;

/** Wraps the implementation so that dry runs do not call it. Only methods with a single input message support them. */
export function withDryRuns(
  desc: DescService,
  implementation: Partial<ServiceImpl<DescService>>,
): Partial<ServiceImpl<DescService>> {
  const handlers = implementation as Handlers;
  const wrapped = desc.methods.flatMap((method) => {
    const handler = handlers[method.localName]?.bind(implementation);
    return handler === undefined ? [] : [[method.localName, wrap(method, handler)] as const];
  });
  return Object.fromEntries<unknown>(wrapped) as Partial<ServiceImpl<DescService>>;
}

function wrap(method: DescMethod, handler: Handler): Handler {
  switch (method.methodKind) {
    case "unary":
      return (input, context) => (isDryRun(context) ? create(method.output) : handler(input, context));
    case "server_streaming":
      return (input, context) => (isDryRun(context) ? noMessages() : handler(input, context));
    default:
      return handler;
  }
}

function isDryRun({ values, responseHeader }: HandlerContext): boolean {
  if (values.get(streamKey)?.isDryRun !== true) {
    return false;
  }
  for (const [name, value] of Object.entries(DRY_RUN_HEADERS)) {
    responseHeader.set(name, String(value));
  }
  return true;
}

async function* noMessages(): AsyncGenerator<never> {}
