// The interceptor that checks every input message against the protovalidate rules of its proto: the same rules, and the same words,
// in all protocols and both lanes.
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type Path, pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { Failure, internalProblem, invalidArgument, type Violation } from "../problem/problem.ts";
import { compileSureValidity, type IsSurelyValid } from "./sure-validity.ts";

/** More violations than these help nobody. */
const VIOLATIONS_MAX = 20;

const SINGULARS: Readonly<Record<string, string>> = { characters: "character", bytes: "byte", entries: "entry", items: "item" };

/** A text of protovalidate's as it follows a field's name: its own begin with what they speak of, and count one as they count many. */
export const describeViolation = (message: string): string =>
  message
    .replace(/^value (?=must|does|is)/, "")
    .replace("item(s)", "items")
    .replace(/\b1 (characters|bytes|entries|items)\b/, (_, plural: string) => `1 ${SINGULARS[plural]}`);

const violationOf = (violation: { field: Path; message: string }): Violation => ({
  field: pathToString(violation.field),
  description: describeViolation(violation.message),
});

function judge(validator: Validator, desc: DescMessage, message: Message): void {
  const result = validator.validate(desc, message);
  switch (result.kind) {
    case "valid":
      return;
    case "invalid":
      throw new Failure(invalidArgument(result.violations.slice(0, VIOLATIONS_MAX).map(violationOf)));
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
