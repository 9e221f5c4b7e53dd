// The interceptor that checks every input message against the protovalidate rules of its proto: the same rules, and the same words,
// in all protocols and both lanes.
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { Failure, internalProblem, invalidArgument } from "../problem/problem.ts";
import { compileSureValidity, type IsSurelyValid } from "./sure-validity.ts";
import { describeViolation } from "./violation-words.ts";

/** More violations than these help nobody. */
const VIOLATIONS_MAX = 20;

function judge(validator: Validator, desc: DescMessage, message: Message): void {
  const result = validator.validate(desc, message);
  switch (result.kind) {
    case "valid":
      return;
    case "invalid":
      throw new Failure(
        invalidArgument(result.violations.slice(0, VIOLATIONS_MAX).map((violation) => describeViolation(violation, message))),
      );
    case "error":
      throw new Failure(internalProblem(result.error));
  }
}

/** Makes the interceptor. Rules are compiled once a message type, at its first use. */
export function createValidation(): Interceptor {
  const validator = createValidator();
  const sureChecks = new Map<DescMessage, IsSurelyValid>();
  const check = (desc: DescMessage, message: Message): void => {
    let isSurelyValid = sureChecks.get(desc);
    if (isSurelyValid === undefined) {
      isSurelyValid = compileSureValidity(desc);
      sureChecks.set(desc, isSurelyValid);
    }
    if (!isSurelyValid(message)) {
      judge(validator, desc, message);
    }
  };
  return (next) => (request) => {
    if (!request.stream) {
      check(request.method.input, request.message);
      return next(request);
    }
    const messages = request.message;
    const checked = (async function* () {
      for await (const message of messages) {
        check(request.method.input, message);
        yield message;
      }
    })();
    return next({ ...request, message: checked });
  };
}
