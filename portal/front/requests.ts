// The requests that visitors can make from the front page. The build computes them: build/computed-modules.ts.
import { heroCalls } from "../content/front.ts";

/** A request, without its key. */
export interface FrontRequest {
  readonly verb: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes; undefined without a body. */
  readonly body: readonly number[] | undefined;
}

/** `farkle gRPC-Web` → its request. Browsers cannot send gRPC itself. */
export const FRONT_REQUESTS: Readonly<Record<string, FrontRequest>> = Object.fromEntries(
  heroCalls().flatMap(({ service, calls }) =>
    calls
      .filter(({ protocol }) => protocol !== "gRPC")
      .map(({ protocol, request: { verb, target, headers, body } }) => [
        `${service.name} ${protocol}`,
        { verb, target, headers, body: body && [...body] },
      ]),
  ),
);
