// What is wrong with the input of a request.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** One wrong field. */
export interface Violation {
  /** Its path in proto names, such as `filter.name` or `dice[2]`; `body` or `query` for the whole of it. */
  readonly field: string;
  /** What is wrong, to follow the field: `must be a whole number from 1 to 6, not 9`. */
  readonly description: string;
}

/**
 * The error of a request whose input does not fit its message: `invalid_argument`, with a violation for each wrong field, which its details
 * have as a google.rpc.BadRequest.
 */
export class InvalidInput extends ConnectError {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(violations.map(({ field, description }) => `${field} ${description}`).join("; "), Code.InvalidArgument);
    // The name stays `ConnectError`: Connect recognises its own errors by it.
    this.violations = violations;
    this.details = [
      {
        type: "google.rpc.BadRequest",
        value: badRequestOf(violations),
        debug: { fieldViolations: violations.map(({ field, description }) => ({ field, description })) },
      },
    ];
  }
}

// https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
function badRequestOf(violations: readonly Violation[]): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  for (const { field, description } of violations) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(field);
    writer.tag(2, WireType.LengthDelimited).string(description);
    writer.join();
  }
  return writer.finish();
}
