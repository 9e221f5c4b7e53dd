// What customers can do about their payments by card. Whoever takes the cards implements it, outside of this module.
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";

/** The service's plan is not one that this could be done with: the message says why. */
export class BillingConflict extends Error {
  override readonly name = "BillingConflict";
}

/** The bank has declined the card. */
export class CardDeclined extends Error {
  override readonly name = "CardDeclined";
}

/** All reject with a BillingConflict, with a CardDeclined, or with any other error if the provider does not answer. */
export interface Billing {
  /** The page on which the account can buy a plan on offer. */
  checkout(account: { readonly id: string; readonly email: string | null }, plan: Plan): Promise<string>;
  /** The page of the account's cards and invoices. */
  portal(accountId: string): Promise<string>;
  /** What a change to another paid plan costs now, in its currency's minor unit. */
  preview(accountId: string, plan: Plan): Promise<number>;
  /**
   * Changes a plan that is paid by card to this one: to a free one when the paid month ends, and back if that was chosen before. False if
   * the service's plan is not paid by card.
   */
  change(accountId: string, plan: Plan): Promise<boolean>;
  /** Ends the account's payments for a service, or all. */
  end(accountId: string, service?: ServiceName): Promise<void>;
}
