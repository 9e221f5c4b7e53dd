// A PROXY protocol header, version 2, as a balancer writes it.

const SIGNATURE = Buffer.from("0d0a0d0a000d0a515549540a", "hex");

function addressBytes(address: string): readonly number[] {
  if (!address.includes(":")) {
    return address.split(".").map(Number);
  }
  const groups = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const [head = [], tail = []] = groups;
  const zeros = Array.from({ length: groups.length === 1 ? 0 : 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 0xff]);
}

/** The header for a connection from `source`, with TLVs of these values. */
export function proxyHeader(source: string, added: readonly Uint8Array[] = []): Buffer {
  const address = addressBytes(source);
  const tlvs = added.map((value) => Buffer.concat([Buffer.from([0xea, value.length >> 8, value.length & 0xff]), value]));
  const rest = Buffer.concat([Buffer.from([...address, ...address, 0xc0, 0, 1, 0xbb]), ...tlvs]);
  const head = Buffer.from([0x21, address.length === 4 ? 0x11 : 0x21, rest.length >> 8, rest.length & 0xff]);
  return Buffer.concat([SIGNATURE, head, rest]);
}

/** The header of a connection that the balancer opens for itself. */
export const LOCAL_PROXY_HEADER = Buffer.concat([SIGNATURE, Buffer.from([0x20, 0, 0, 0])]);

/** The header of a connection whose caller has no IP address. */
export const UNSPECIFIED_PROXY_HEADER = Buffer.concat([SIGNATURE, Buffer.from([0x21, 0, 0, 0])]);
