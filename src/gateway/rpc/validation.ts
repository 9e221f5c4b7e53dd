// Checks an input message against the protovalidate rules of its proto. Every pipeline takes this step before it calls a method, so the
// rules and the words are the same in all protocols.
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { Failure } from "../../problem/failure.ts";
import { internalProblem, invalidArgument } from "../../problem/problem.ts";
import { compileFastValidator, type FastValidator } from "./fast-validator.ts";
import { describeViolation } from "./violation-messages.ts";

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

/** Checks one message. Throws a Failure with INVALID_ARGUMENT that names each wrong field. */
export type Validate = (desc: DescMessage, message: Message) => void;

/** Makes the check. Rules are compiled once a message type, at its first use. */
export function createValidation(): Validate {
  const validator = createValidator();
  const sureChecks = new Map<DescMessage, FastValidator>();
  return (desc, message) => {
    let isSurelyValid = sureChecks.get(desc);
    if (isSurelyValid === undefined) {
      isSurelyValid = compileFastValidator(desc);
      sureChecks.set(desc, isSurelyValid);
    }
    if (!isSurelyValid(message)) {
      judge(validator, desc, message);
    }
  };
}

/** The same step for connect-es, which reads the messages of a request itself. */
export function validationInterceptor(validate: Validate): Interceptor {
  return (next) => (request) => {
    if (!request.stream) {
      validate(request.method.input, request.message);
      return next(request);
    }
    const messages = request.message;
    const checked = (async function* () {
      for await (const message of messages) {
        validate(request.method.input, message);
        yield message;
      }
    })();
    return next({ ...request, message: checked });
  };
}
