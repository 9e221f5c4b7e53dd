// Reads the HTTP rules of a method: its google.api.http option and the additional bindings in it.
import type { DescMethod } from "@bufbuild/protobuf";
import { type HttpRule, httpRuleOf } from "./http-rule.ts";
import { parseTemplate, type Template } from "./template.ts";

/** One HTTP method and path of one RPC. */
export interface Rule {
  readonly rpc: DescMethod;
  /** In upper case, or `*` for every method without its own rule on the path. */
  readonly httpMethod: string;
  readonly template: Template;
  /** `*` if the body is the whole input; the name of a field if it is that field; otherwise empty. */
  readonly body: string;
  /** The name of the output field that is the body of the response; empty for the whole output. */
  readonly responseBody: string;
}

// The characters of an HTTP method, RFC 9110, section 9.1. `*` is one of them.
const HTTP_METHOD = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
// google.api.http does not allow `body` for these methods. GET routes accept a body anyway; see bind.ts.
const WITHOUT_BODY: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);

/** The rules of a method, in the order written; none if it has no google.api.http option. Throws an Error that names the rule. */
export function rulesOf(rpc: DescMethod): Rule[] {
  const main = httpRuleOf(rpc);
  if (main === undefined) {
    return [];
  }
  return [readRule(rpc, main), ...main.additionalBindings.map((additional) => readAdditional(rpc, additional))];
}

/** The name of a rule in errors: `quintet.farkle.v1.FarkleService.Score, GET /farkle/v1/score`. */
export function ruleName(rpc: DescMethod, httpMethod: string, template: string): string {
  return `${rpc.parent.typeName}.${rpc.name}, ${httpMethod} ${template}`;
}

function readAdditional(rpc: DescMethod, additional: HttpRule): Rule {
  const rule = readRule(rpc, additional);
  if (additional.additionalBindings.length > 0) {
    throw new Error(
      `${ruleName(rpc, rule.httpMethod, rule.template.source)}: an additional binding cannot have additional bindings`,
    );
  }
  return rule;
}

function readRule(rpc: DescMethod, { pattern, body, responseBody }: HttpRule): Rule {
  if (pattern === undefined) {
    throw new Error(`${rpc.parent.typeName}.${rpc.name}: a rule without a path`);
  }
  const { httpMethod, path: source } = pattern;
  try {
    if (!HTTP_METHOD.test(httpMethod)) {
      throw new Error("not an HTTP method");
    }
    if (rpc.methodKind !== "unary" && rpc.methodKind !== "server_streaming") {
      throw new Error("REST does not support streams of requests");
    }
    if (body !== "" && WITHOUT_BODY.has(httpMethod)) {
      throw new Error(`a rule for ${httpMethod} has no body`);
    }
    return { rpc, httpMethod, template: parseTemplate(source), body, responseBody };
  } catch (error) {
    throw new Error(`${ruleName(rpc, httpMethod, source)}: ${(error as Error).message}`, { cause: error });
  }
}
