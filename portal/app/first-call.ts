// A call of each service that works with any key that may call it: what a customer tries first.

const PATHS: Readonly<Record<string, string>> = {
  farkle: "/farkle/v1/score?dice=1,1,1,5,5,5",
  radio: "/radio/v1/search?tag=jazz&limit=3",
  "token-price": "/token-price/v1/price?tokens=coingecko:bitcoin",
  "token-list": "/token-list/v1/search?query=usdc&chain=ethereum",
  bitcoin: "/bitcoin/v1/mayer",
};

/** The call as a command for a shell, with the key as it is or as a variable. */
export const curlOf = (service: string, key: string): string =>
  `curl \\\n  -H "x-gateway-key: ${key}" \\\n  '${location.origin}${PATHS[service]}'`;

/** The service to show: one of `subscribed` that the key may call, or else any that it may. `services` is empty for all. */
export function serviceToTry(services: readonly string[], subscribed: readonly string[]): string {
  const allowed = Object.keys(PATHS).filter((service) => services.length === 0 || services.includes(service));
  return allowed.find((service) => subscribed.includes(service)) ?? allowed[0] ?? "farkle";
}
