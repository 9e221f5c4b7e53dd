// The data services, by name. Plans, subscriptions, keys and the command line go by these. A new one is a name here and a line in
// services/registry.ts; the compiler and test/services/registry.test.ts say what else is missing.

/** The services, in the order in which they are listed everywhere. */
export const SERVICE_NAMES = ["radio", "token-price", "token-list", "bitcoin", "farkle"] as const;

/** One of them. */
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** What a service is called where people read of it. */
export const SERVICE_TITLES: Readonly<Record<ServiceName, string>> = {
  radio: "Radio stations",
  "token-price": "Token prices",
  "token-list": "Token lists",
  bitcoin: "Bitcoin valuation",
  farkle: "Farkle",
};

/** A service's name as its folders and its proto's package have it: `tokenprice`, of `quintet.tokenprice.v1`, for `token-price`. */
export const folderNameOf = (name: ServiceName): string => name.replaceAll("-", "");
