// Where Stripe sends events. They need no key of ours: their signature is checked over the bytes as they arrived, before anything is
// parsed.
import type { Exchange, RequestHandler, ResponseHeaders } from "@quintet/http";
import { REASONS } from "../problem/reason.ts";
import { problemOfThrown } from "./transport-problem.ts";
import type { AddTransportSecurity } from "./transport-security.ts";

export const PAYMENT_EVENTS_PATH = "/webhooks/stripe";

/** What became of an event: `handled` now or before, `refused` because it is not signed by Stripe, or to be sent again `later`. */
export type PaymentEventOutcome = "handled" | "refused" | "later";

/** Handles an event with this body and this `stripe-signature` header. */
export type ReceivePaymentEvent = (event: {
  readonly body: Uint8Array;
  readonly signature: string;
}) => Promise<PaymentEventOutcome>;

// The largest events have a few hundred lines of an invoice.
const BODY_BYTES_MAX = 262_144;
const SIGNATURE_CHARACTERS_MAX = 1000;

const ANSWERS: Readonly<Record<PaymentEventOutcome, readonly [status: number, text: string]>> = {
  handled: [200, "ok\n"],
  refused: [400, "The signature is missing, wrong or too old.\n"],
  later: [503, "The event cannot be handled at the moment; send it again.\n"],
};

export function createPaymentEndpoint(receive: ReceivePaymentEvent, addTransportSecurity: AddTransportSecurity): RequestHandler {
  const answer = (exchange: Exchange, status: number, text: string, more: ResponseHeaders = {}): void => {
    const headers: ResponseHeaders = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...more };
    addTransportSecurity(headers, exchange);
    exchange.respond(status, headers, text);
  };
  const serve = async (exchange: Exchange): Promise<void> => {
    const signature = exchange.headers["stripe-signature"]?.toString() ?? "";
    if (exchange.method !== "POST") {
      answer(exchange, 405, `This path accepts POST, not ${exchange.method}.\n`, { allow: "POST" });
    } else if (signature === "" || signature.length > SIGNATURE_CHARACTERS_MAX) {
      answer(exchange, ...ANSWERS.refused);
    } else {
      const body = await exchange.readBody(BODY_BYTES_MAX, false);
      answer(exchange, ...ANSWERS[await receive({ body, signature })]);
    }
  };
  return (exchange) => {
    serve(exchange).catch((thrown: unknown) => {
      const problem = problemOfThrown(thrown);
      answer(exchange, REASONS[problem.reason].httpStatus, `${problem.message}\n`);
    });
  };
}
