// Reads how customers pay by card.
import type { Environment } from "./environment.ts";

export interface PaymentConfig {
  /** Stripe's secret key. */
  readonly secretKey: string;
  /** The secret with which Stripe signs events. */
  readonly webhookSecret: string;
  /** The base URL of Stripe's API; undefined for Stripe's own. */
  readonly apiUrl: URL | undefined;
  /** How long a plan is kept when a payment has failed. */
  readonly graceMs: number;
  /** Whether the free plan follows a plan that is no longer paid. */
  readonly fallsToFree: boolean;
  /** Whether Stripe computes taxes. */
  readonly hasTax: boolean;
  /** Whether customers may enter promotion codes. */
  readonly hasPromotionCodes: boolean;
  /** Where customers reach the server. */
  readonly publicUrl: string;
}

const DAY_MS = 86_400_000;
const SECRET_KEY = /^[rs]k_(?:test|live)_[0-9A-Za-z_]{8,250}$/;
const WEBHOOK_SECRET = /^whsec_[0-9A-Za-z+/=_-]{8,250}$/;

/** Undefined if customers cannot pay by card. `publicUrl` is where customers reach the server. */
export function readPaymentConfig(environment: Environment, publicUrl: string | undefined): PaymentConfig | undefined {
  const secretKey = environment.optionalText(
    "QUINTET_STRIPE_KEY",
    "Stripe's secret key, with which customers can pay for plans by card. Needs `QUINTET_STRIPE_WEBHOOK_SECRET` and `QUINTET_PUBLIC_URL`. If not set, operators activate paid plans.",
  );
  const webhookSecret = environment.optionalText(
    "QUINTET_STRIPE_WEBHOOK_SECRET",
    "The signing secret of the endpoint to which Stripe sends events, `/webhooks/stripe`.",
  );
  const apiUrl = environment.optionalText(
    "QUINTET_STRIPE_API_URL",
    "The base URL of Stripe's API, such as `http://127.0.0.1:12111` for a stand-in. Stripe's own by default.",
  );
  const graceDays = environment.integer(
    "QUINTET_STRIPE_GRACE_DAYS",
    7,
    { min: 0, max: 28 },
    "How many days a plan is kept after a payment has failed, while Stripe tries again.",
  );
  const after = environment.choice(
    "QUINTET_STRIPE_AFTER",
    "free",
    ["free", "end"],
    "What follows a plan that is no longer paid: the service's `free` plan, if there is one, or the `end` of the subscription.",
  );
  const onOff = (name: string, meaning: string): boolean => environment.choice(name, "off", ["off", "on"], meaning) === "on";
  const hasTax = onOff("QUINTET_STRIPE_TAX", "Whether Stripe Tax adds taxes to prices: `off` or `on`.");
  const hasPromotionCodes = onOff("QUINTET_STRIPE_PROMOTION_CODES", "Whether customers may enter promotion codes: `off` or `on`.");
  if (secretKey === undefined && webhookSecret === undefined) {
    return undefined;
  }
  // Faults do not repeat the secrets.
  if (secretKey === undefined || !SECRET_KEY.test(secretKey)) {
    environment.fault("QUINTET_STRIPE_KEY", "must be a secret or restricted key of Stripe, which begins with sk_ or rk_");
  }
  if (webhookSecret === undefined || !WEBHOOK_SECRET.test(webhookSecret)) {
    environment.fault(
      "QUINTET_STRIPE_WEBHOOK_SECRET",
      "must be the signing secret of a webhook endpoint, which begins with whsec_",
    );
  }
  if (publicUrl === undefined) {
    environment.fault(
      "QUINTET_PUBLIC_URL",
      "must be set with QUINTET_STRIPE_KEY, because customers return to it when they have paid",
    );
  }
  const parsedUrl = apiUrl === undefined ? undefined : URL.parse(apiUrl);
  if (parsedUrl === null || (parsedUrl !== undefined && (!/^https?:$/.test(parsedUrl.protocol) || parsedUrl.pathname !== "/"))) {
    environment.fault("QUINTET_STRIPE_API_URL", "must be an http or https URL without a path, such as http://127.0.0.1:12111");
  }
  return {
    secretKey: secretKey ?? "",
    webhookSecret: webhookSecret ?? "",
    apiUrl: parsedUrl ?? undefined,
    graceMs: graceDays * DAY_MS,
    fallsToFree: after === "free",
    hasTax,
    hasPromotionCodes,
    publicUrl: publicUrl ?? "",
  };
}
