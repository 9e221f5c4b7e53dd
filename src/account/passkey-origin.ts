// Where passkeys work.

// Browsers do not create passkeys for IP addresses.
const IP_ADDRESS = /^(?:\d+(?:\.\d+){3}|\[.*\])$/;

/** Where passkeys work, if customers reach the server at `publicUrl`; undefined if they work nowhere. */
export const passkeyOriginOf = (publicUrl: string | undefined): string | undefined => {
  const host = URL.parse(publicUrl ?? "")?.hostname;
  return host === undefined || IP_ADDRESS.test(host) ? undefined : publicUrl;
};
