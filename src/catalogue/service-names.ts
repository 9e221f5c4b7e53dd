// The data services, by name. Plans, subscriptions, keys and the command line go by these.

/** The services, in the order of their contract. */
export const SERVICE_NAMES = ["radio", "token-price", "token-list", "bitcoin", "farkle"] as const;

/** One of them. */
export type ServiceName = (typeof SERVICE_NAMES)[number];
