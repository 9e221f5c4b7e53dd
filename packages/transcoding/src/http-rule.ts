// Reads google.api.http options as they are on the wire, so that no generated code for them is needed: not here, and not in the protos of
// those who use this. https://github.com/googleapis/googleapis/blob/master/google/api/http.proto
import type { DescMethod } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** A google.api.HttpRule. */
export interface HttpRule {
  /** Undefined if it has none. `httpMethod` is in upper case, or a custom kind as written. */
  readonly pattern: { readonly httpMethod: string; readonly path: string } | undefined;
  readonly body: string;
  readonly responseBody: string;
  readonly additionalBindings: readonly HttpRule[];
}

// The number of the extension of google.protobuf.MethodOptions.
const HTTP = 72295728;
const METHODS: ReadonlyMap<number, string> = new Map([
  [2, "GET"],
  [3, "PUT"],
  [4, "POST"],
  [5, "DELETE"],
  [6, "PATCH"],
]);
const BODY = 7;
const CUSTOM = 8;
const ADDITIONAL_BINDINGS = 11;
const RESPONSE_BODY = 12;

/** The rule of a method; undefined if it has none. If it is given twice, the last counts. */
export function httpRuleOf(rpc: DescMethod): HttpRule | undefined {
  const option = rpc.proto.options?.$unknown?.findLast(({ no, wireType }) => no === HTTP && wireType === WireType.LengthDelimited);
  return option && readRule(new BinaryReader(option.data).bytes());
}

function readRule(bytes: Uint8Array): HttpRule {
  let pattern: HttpRule["pattern"];
  let [body, responseBody] = ["", ""];
  const additionalBindings: HttpRule[] = [];
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const httpMethod = METHODS.get(field);
    if (httpMethod !== undefined) {
      pattern = { httpMethod, path: reader.string() };
    } else if (field === BODY) {
      body = reader.string();
    } else if (field === RESPONSE_BODY) {
      responseBody = reader.string();
    } else if (field === CUSTOM) {
      pattern = readCustom(reader.bytes());
    } else if (field === ADDITIONAL_BINDINGS) {
      additionalBindings.push(readRule(reader.bytes()));
    } else {
      reader.skip(wireType, field);
    }
  }
  return { pattern, body, responseBody, additionalBindings };
}

function readCustom(bytes: Uint8Array): HttpRule["pattern"] {
  let [httpMethod, path] = ["", ""];
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) {
      httpMethod = reader.string();
    } else if (field === 2) {
      path = reader.string();
    } else {
      reader.skip(wireType, field);
    }
  }
  return { httpMethod, path };
}
