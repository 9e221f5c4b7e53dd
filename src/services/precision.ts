// Rounds the decimal numbers of responses for callers who want fewer digits.
import { clone, create, type DescMessage, type DescService, type Message, ScalarType } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";

/** The number with at most so many significant digits; unchanged if `precision` is undefined. */
export const roundTo = (value: number, precision: number | undefined): number =>
  precision === undefined ? value : Number(value.toPrecision(precision));

interface Rounding {
  readonly precision?: number | undefined;
}

type Handler = (request: Rounding, context: HandlerContext) => unknown;

/** The handlers, where those whose requests have the field `precision` round every double of their responses to it. */
export function withPrecision<Desc extends DescService>(desc: Desc, handlers: ServiceImpl<Desc>): ServiceImpl<Desc> {
  const rounding = desc.methods
    .filter(({ input }) => input.fields.some(({ name }) => name === "precision"))
    .map(({ localName, methodKind, output }) => {
      const handler = (handlers as unknown as Readonly<Record<string, Handler>>)[localName] as Handler;
      const unary: Handler = async (request, context) => rounded(output, await handler(request, context), request);
      const stream: Handler = async function* (request, context) {
        for await (const message of handler(request, context) as AsyncIterable<unknown>) {
          yield rounded(output, message, request);
        }
      };
      return [localName, methodKind === "unary" ? unary : stream];
    });
  return { ...handlers, ...Object.fromEntries(rounding) };
}

// Responses may share messages with others, so a copy is rounded.
function rounded(desc: DescMessage, init: unknown, { precision }: Rounding): unknown {
  if (precision === undefined) {
    return init;
  }
  const message = clone(desc, create(desc, init as Message));
  roundFields(desc, message as unknown as Record<string, unknown>, precision);
  return message;
}

function roundFields(desc: DescMessage, message: Record<string, unknown>, precision: number): void {
  for (const field of desc.fields) {
    const value = message[field.localName];
    if (field.fieldKind === "scalar" && field.scalar === ScalarType.DOUBLE && value !== undefined) {
      message[field.localName] = roundTo(value as number, precision);
    } else if (field.message !== undefined && value !== undefined) {
      for (const one of [value].flat()) {
        roundFields(field.message, one as Record<string, unknown>, precision);
      }
    }
  }
}
