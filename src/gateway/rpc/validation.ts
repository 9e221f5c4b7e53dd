// Checks an input message against the protovalidate rules in its proto. Every pipeline does so before it calls a method, so the
// rules and the error messages are the same in all protocols.
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { Failure } from "../../problem/failure.ts";
import { internalProblem, invalidArgument } from "../../problem/problem.ts";
import { compileFastValidator, type FastValidator } from "./fast-validator.ts";
import { describeViolation } from "./violation-messages.ts";

/** Naming more violations would not help the caller. */
const VIOLATIONS_MAX = 20;

function validateFully(validator: Validator, desc: DescMessage, message: Message): void {
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

/** Checks one message. Throws a Failure INVALID_ARGUMENT that names each wrong field. */
export type Validate = (desc: DescMessage, message: Message) => void;

/** The rules of a message type are compiled on first use. */
export function createValidation(): Validate {
  // Created on first use: most messages are certainly valid.
  let validator: Validator | undefined;
  const fastValidators = new Map<DescMessage, FastValidator>();
  return (desc, message) => {
    let fastValidator = fastValidators.get(desc);
    if (fastValidator === undefined) {
      fastValidator = compileFastValidator(desc);
      fastValidators.set(desc, fastValidator);
    }
    if (!fastValidator(message)) {
      validator ??= createValidator();
      validateFully(validator, desc, message);
    }
  };
}

/** The same check as an interceptor for connect-es, which reads the messages of a request itself. */
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
