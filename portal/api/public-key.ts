// The key that the operator has made public, as the server put it into this document (src/portal/explore-key.ts).

/** The key, and how often one address may call with it. */
export interface PublicKey {
  readonly secret: string;
  readonly callsPerMinute: number;
  readonly callsPerDay: number;
}

/** The key of this page; undefined if the operator has set none: then the page needs a session. */
export function readPublicKey(): PublicKey | undefined {
  const element = document.querySelector("#explore-key");
  return element instanceof HTMLDataElement
    ? {
        secret: element.value,
        callsPerMinute: Number(element.dataset.minute),
        callsPerDay: Number(element.dataset.day),
      }
    : undefined;
}
