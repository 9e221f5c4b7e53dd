// How calls are composed: one choice from each table, by name, so that a failing call can be read and repeated. The first choice in each
// table is the normal one.
import { create, type DescMessage, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";
import { RadioService, SearchStationsRequestSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { type Color, EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";
import type { RawHeaders } from "./raw-client.ts";
import { messageLimits } from "./two-pipelines.ts";
import type { wants } from "./wants.ts";

/** The names of a table. */
export type NameOf<Table> = keyof Table & string;

/** The protocols. REST is not among them, because connect-es does not serve it. */
export const protocols = ["grpc", "grpc-web", "grpc-web-text", "connect", "connect-get"] as const;
type Protocol = (typeof protocols)[number];

/** How messages are encoded. */
export type Form = "proto" | "json";

/** One call. */
export interface Call {
  readonly protocol: Protocol;
  readonly form: Form;
  readonly httpVersion: 1 | 2;
  readonly method: NameOf<typeof methods>;
  readonly message: NameOf<typeof messages>;
  readonly bodyFault: NameOf<typeof bodyFaults>;
  readonly frameFault: NameOf<typeof frameFaults>;
  readonly compression: NameOf<typeof compressions>;
  readonly accept: NameOf<typeof accepts>;
  readonly timeout: NameOf<typeof timeouts>;
  readonly metadata: NameOf<typeof metadatas>;
  readonly extra: NameOf<typeof extras>;
  readonly want: NameOf<typeof wants>;
}

/** `echo` returns its input and has side effects, but no validation rules. `search` has rules, and may be called by GET. */
export const methods = {
  search: { path: `/${RadioService.typeName}/SearchStations`, schema: SearchStationsRequestSchema as DescMessage },
  echo: { path: `/${LibraryService.typeName}/Echo`, schema: EverythingSchema as DescMessage },
};

const echoed = (fields: Parameters<typeof create<typeof EverythingSchema>>[1]): Message => create(EverythingSchema, fields);
const searched = (fields: Parameters<typeof create<typeof SearchStationsRequestSchema>>[1]): Message =>
  create(SearchStationsRequestSchema, fields);

const rich = echoed({
  doubleValue: Number.NaN,
  int64Value: -(2n ** 63n),
  stringValue: 'naïve "☃" \u2028\n',
  bytesValue: new Uint8Array([0, 255, 1]),
  color: 9 as Color,
  nested: { optionalInt32: 0 },
  stringMap: { "": "empty", __proto__x: "1" },
  choice: { case: "choiceNull", value: 0 },
  time: { seconds: 1n, nanos: 500_000_000 },
  mask: { paths: ["a_b"] },
  struct: { a: [1, null, { b: "c" }] },
  doubleWrapper: 0,
});

/** The input. */
export const messages = {
  plain: { search: searched({ name: "jazz", offset: 3 }), echo: echoed({ stringValue: "jazz", int32Value: 3 }) },
  empty: { search: searched({}), echo: echoed({}) },
  rich: { search: searched({ name: 'naïve "☃" \u2028\n', countrycode: "de", limit: 100, hasGeo: false }), echo: rich },
  // A response of this length is compressed.
  long: { search: searched({ name: "x".repeat(200) }), echo: echoed({ stringValue: "abc".repeat(700) }) },
  refused: { search: searched({ limit: 1000, countrycode: "x9", order: "height" }), echo: rich },
  tooLong: {
    search: searched({ name: "n".repeat(messageLimits.messageBytesMax + 1) }),
    echo: echoed({ stringValue: "s".repeat(messageLimits.messageBytesMax + 1) }),
  },
} satisfies Record<string, Record<NameOf<typeof methods>, Message>>;

const text = (body: string): Uint8Array => Buffer.from(body);

/** What is wrong with the message itself. */
export const bodyFaults: Record<string, (form: Form, body: Uint8Array) => Uint8Array> = {
  none: (_, body) => body,
  cut: (_, body) => body.subarray(0, Math.max(0, body.byteLength - 1)),
  zeroBytes: () => new Uint8Array(0),
  unknownField: (form, body) =>
    form === "proto" ? Buffer.concat([body, Buffer.from([0xc0, 0x3e, 0x01])]) : text(`{"colourOfTheSky":[{"a":null}]}`),
  noise: () => Buffer.from([0xff, 0xfe, 0x00, 0xff]),
  wrongType: (form) => (form === "proto" ? Buffer.from([0x1b, 0x01]) : text(`{"name":7,"stringValue":7}`)),
  wrongWireType: (form) => (form === "proto" ? Buffer.from([0x48, 0x80]) : text(`{"offset":"many","int32Value":"many"}`)),
  tooLarge: (form) => (form === "proto" ? Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]) : text(`{"offset":1e99,"int32Value":1e99}`)),
  notUtf8: (form) => (form === "proto" ? Buffer.from([0x0a, 0x02, 0xc3, 0x28]) : Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22])),
  notUtf8Inside: (form) => (form === "proto" ? Buffer.from([0x72, 0x02, 0xc3, 0x28]) : Buffer.from('{"name":"\u00e9"}', "latin1")),
  group: (form) => (form === "proto" ? Buffer.from([0x0b, 0x0c]) : text("[]")),
  zeroTag: (form) => (form === "proto" ? Buffer.from([0x00, 0x00]) : text("null")),
  unknownEnum: (form) => (form === "proto" ? Buffer.from([0x80, 0x01, 0x63]) : text(`{"color":"PINK","limit":"5"}`)),
  twice: (form, body) => (form === "proto" ? Buffer.concat([body, body]) : text(`{"name":"a","name":"b","stringValue":"a"}`)),
  trailingText: (form, body) => (form === "proto" ? Buffer.concat([body, Buffer.from([0x08])]) : Buffer.concat([body, text(" x")])),
  byteOrderMark: (_, body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
};

/** What is wrong with the frame around it, in protocols that have one. `undefined`: no body at all. */
export const frameFaults: Record<string, (frame: Buffer) => Buffer | undefined> = {
  none: (frame) => frame,
  noBody: () => undefined,
  zeroBytes: () => Buffer.alloc(0),
  headCut: (frame) => frame.subarray(0, 3),
  headOnly: (frame) => frame.subarray(0, 5),
  cut: (frame) => frame.subarray(0, frame.byteLength - 1),
  twice: (frame) => Buffer.concat([frame, frame]),
  trailingByte: (frame) => Buffer.concat([frame, Buffer.from([0])]),
  trailingBytes: (frame) => Buffer.concat([frame, Buffer.from([0, 0, 0, 0, 9, 1])]),
  flag2: (frame) => withFlags(frame, 0x02),
  flag80: (frame) => withFlags(frame, 0x80),
  flag81: (frame) => withFlags(frame, 0x81),
  flagFE: (frame) => withFlags(frame, 0xfe),
  endAfter: (frame) => Buffer.concat([frame, Buffer.from([0x80, 0, 0, 0, 0])]),
  lengthTooLarge: (frame) => withLength(frame, messageLimits.messageBytesMax + 1),
  lengthHuge: (frame) => withLength(frame, 0xffff_ffff),
  lengthTooSmall: (frame) => withLength(frame, Math.max(0, frame.byteLength - 6)),
};

function withFlags(frame: Buffer, flags: number): Buffer {
  const changed = Buffer.from(frame);
  changed.writeUInt8(flags, 0);
  return changed;
}

function withLength(frame: Buffer, length: number): Buffer {
  const changed = Buffer.from(frame);
  changed.writeUInt32BE(length, 1);
  return changed;
}

/** How the message is compressed: according to the header, in reality, and according to the flag of a frame. */
export interface Compression {
  readonly named: string | undefined;
  readonly real: "gzip" | "cut" | "noise" | "zeroBytes" | "bomb" | "none";
  readonly flagged: boolean;
}

export const compressions: Record<string, Compression> = {
  none: { named: undefined, real: "none", flagged: false },
  gzip: { named: "gzip", real: "gzip", flagged: true },
  identity: { named: "identity", real: "none", flagged: false },
  identityFlagged: { named: "identity", real: "none", flagged: true },
  emptyName: { named: "", real: "none", flagged: false },
  unknown: { named: "br", real: "none", flagged: false },
  unknownFlagged: { named: "zstd", real: "gzip", flagged: true },
  upperCase: { named: "GZIP", real: "gzip", flagged: true },
  two: { named: "gzip, gzip", real: "gzip", flagged: true },
  unnamed: { named: undefined, real: "gzip", flagged: true },
  named: { named: "gzip", real: "none", flagged: false },
  gzipUnflagged: { named: "gzip", real: "gzip", flagged: false },
  notGzip: { named: "gzip", real: "noise", flagged: true },
  cutGzip: { named: "gzip", real: "cut", flagged: true },
  noGzip: { named: "gzip", real: "zeroBytes", flagged: true },
  bomb: { named: "gzip", real: "bomb", flagged: true },
};

/** Which compression the caller accepts, in the header of its protocol. */
export const accepts: Record<string, string | undefined> = {
  none: undefined,
  gzip: "gzip",
  identity: "identity",
  several: "br, identity,gzip;q=0.5",
  refused: "gzip;q=0",
  refusedTwice: "identity, gzip; q=0.00, *",
  unknown: "br",
  any: "*",
  empty: "",
  upperCase: "GZIP",
  old: "x-gzip",
};

interface Timeout {
  readonly grpc: string | undefined;
  readonly connect: string | undefined;
  /** Whether the header is sent twice. */
  readonly twice?: true;
}

/** The caller's deadline, in the protocol's header. */
export const timeouts: Record<string, Timeout> = {
  none: { grpc: undefined, connect: undefined },
  long: { grpc: "10S", connect: "10000" },
  longest: { grpc: "99999999H", connect: "9999999999" },
  leadingZeros: { grpc: "00000100S", connect: "0000100000" },
  fraction: { grpc: "60000001u", connect: "60001" },
  zero: { grpc: "0S", connect: "0" },
  zeros: { grpc: "00000000n", connect: "0000000000" },
  empty: { grpc: "", connect: "" },
  blank: { grpc: "10 S", connect: "10 000" },
  tooManyDigits: { grpc: "123456789S", connect: "12345678901" },
  noUnit: { grpc: "10", connect: "10ms" },
  noDigits: { grpc: "S", connect: "ms" },
  wrongUnit: { grpc: "10s", connect: "10.5" },
  negative: { grpc: "-1S", connect: "-1" },
  plus: { grpc: "+1S", connect: "+1" },
  decimal: { grpc: "1.5S", connect: "1e3" },
  words: { grpc: "soon", connect: "soon" },
  twice: { grpc: "10S", connect: "10000", twice: true },
};

/** Other headers sent by the caller. */
export const metadatas: Record<string, RawHeaders> = {
  none: [],
  one: [["x-one", "1"]],
  repeated: [
    ["x-two", "a"],
    ["x-other", "between"],
    ["x-two", "b,c"],
    ["X-Two".toLowerCase(), ""],
  ],
  binary: [["x-bytes-bin", "AAEC/w"]],
  binaryPadded: [["x-bytes-bin", "AAEC/w=="]],
  binarySeveral: [
    ["x-bytes-bin", "AAEC,AwQF"],
    ["x-bytes-bin", "Bg"],
  ],
  binaryBad: [["x-bytes-bin", "not base64 at all!"]],
  binaryEmpty: [["x-bytes-bin", ""]],
  latin1: [["x-latin", "caf\u00e9"]],
  blanks: [["x-blanks", "  a  b  "]],
  reserved: [
    ["grpc-whatever", "1"],
    ["connect-whatever", "2"],
    ["trailer-whatever", "3"],
    ["grpc-status", "13"],
    ["x-request-id", "7c0e3c1e-33f5-4bd7-9a0f-3d7a1c6f2b10"],
  ],
  secrets: [
    ["authorization", "Bearer sesame"],
    ["cookie", "a=b"],
    ["cookie", "c=d"],
  ],
  client: [
    ["user-agent", "grpc-node/1.0"],
    ["te", "trailers"],
    ["grpc-encoding-x", "y"],
    ["x-user-agent", "connect-es/2"],
  ],
  browser: [
    ["origin", "https://example.org"],
    ["accept", "*/*"],
    ["accept-language", "de"],
    ["referer", "https://example.org/"],
  ],
  rest: [
    ["x-server-timeout", "0"],
    ["accept", "text/html"],
    ["content-language", "de"],
  ],
};

/** Oddities that only one protocol can have. */
export const extras = {
  none: {},
  typeParameter: { typeSuffix: "; charset=utf-8" },
  typeUpperCase: { typeUpperCase: true },
  version: { headers: [["connect-protocol-version", "1"]], query: "connect=v1" },
  wrongVersion: { headers: [["connect-protocol-version", "2"]], query: "connect=v2" },
  emptyVersion: { headers: [["connect-protocol-version", ""]], query: "connect=" },
  otherQuery: { query: "name=blues&encoding=proto&unknown=%FF" },
  notBase64: { query: "base64=0" },
  asBase64: { base64: true },
  asPaddedBase64: { base64: true, padded: true },
  badBase64: { base64: true, message: "!!!" },
  plainWithBase64Letters: { message: "%2B%2F%3D%" },
  noMessage: { message: undefined },
  escapedQuery: { query: "%65ncoding=proto" },
  otherEncoding: { encoding: "xml" },
} satisfies Record<string, Extra>;

export interface Extra {
  readonly typeSuffix?: string;
  readonly typeUpperCase?: boolean;
  readonly headers?: RawHeaders;
  /** Parameters before those of the protocol. */
  readonly query?: string;
  readonly base64?: boolean;
  readonly padded?: boolean;
  /** Replaces the value of the message parameter; undefined if the parameter is left out. */
  readonly message?: string | undefined;
  readonly encoding?: string;
}

/** The bytes of the message, before any fault is added. */
export function plainBody({ method, message, form }: Call): Uint8Array {
  const { schema } = methods[method];
  const input = messages[message][method];
  return form === "proto" ? toBinary(schema, input) : Buffer.from(toJsonString(schema, input));
}
