// Finds the assertions in a test's source, and instruments each to report its arguments.
import { childrenOf, type Insertion, isNode, lineAt, type Node, parse, withInsertions } from "./syntax.ts";

/** One `expect(…)`. */
export interface Assertion {
  readonly id: number;
  readonly path: string;
  readonly line: number;
  /** On one line. */
  readonly text: string;
  /** Asserts something about each element of a list. */
  readonly takesCallback: boolean;
  /** Its result is a promise that nothing awaits. */
  readonly isUnawaited: boolean;
}

export interface ProbedSource {
  readonly assertions: readonly Assertion[];
  /** The source in which each assertion goes through `globalThis.probed`, which `probe.ts` defines. */
  readonly text: string;
}

const TEXT_MAX = 100;
const QUANTIFIERS = new Set(["every", "filter", "some"]);

const isExpect = (node: Node): boolean =>
  node.type === "CallExpression" && (node.callee as Node).type === "Identifier" && (node.callee as Node).name === "expect";

/** Whether the node is `list.every((element) => …)` or the like. */
const isQuantifier = (node: Node): boolean => {
  const callee = node.callee;
  const [callback] = (node.arguments ?? []) as readonly Node[];
  return (
    node.type === "CallExpression" &&
    isNode(callee) &&
    callee.type === "MemberExpression" &&
    QUANTIFIERS.has(String((callee.property as Node).name)) &&
    callback?.type === "ArrowFunctionExpression"
  );
};

/** The assertions of a test's source, with ids from `firstId` on. */
export function probeAssertions(path: string, source: string, firstId: number): ProbedSource {
  const assertions: Assertion[] = [];
  const insertions: Insertion[] = [];
  const put = (at: number, text: string, ends = false): void => {
    insertions.push({ at, ends, text });
  };
  /** The assertion whose subject is this node: its id, and whether it is about elements. */
  const visit = (node: Node, parents: readonly Node[], subjectOf: number | undefined): boolean => {
    let asks = false;
    if (isQuantifier(node) && subjectOf !== undefined) {
      const [callback] = node.arguments as readonly Node[];
      put((callback as Node).start, `globalThis.recordingCalls(${subjectOf}, `);
      put((callback as Node).end, ")", true);
      asks = true;
    }
    if (!isExpect(node)) {
      return childrenOf(node).reduce((found, child) => visit(child, [node, ...parents], subjectOf) || found, asks);
    }
    const id = firstId + assertions.length;
    const callee = node.callee as Node;
    put(callee.start, `globalThis.probed(${id}, `);
    put(callee.end, ")", true);
    const chain = parents.slice(
      0,
      parents.findIndex(({ type }) => type !== "MemberExpression" && type !== "CallExpression"),
    );
    const whole = chain.at(-1) ?? node;
    const text = source.slice(whole.start, whole.end).replaceAll(/\s+/g, " ");
    const isPromise = chain.some(({ property }) => isNode(property) && /^(rejects|resolves)$/.test(String(property.name)));
    const assertion = {
      id,
      path,
      line: lineAt(source, node.start),
      text: text.slice(0, TEXT_MAX),
      isUnawaited: isPromise && parents[chain.length]?.type === "ExpressionStatement",
    };
    assertions.push({ ...assertion, takesCallback: false });
    const takesCallback = childrenOf(node).reduce((found, child) => visit(child, [node, ...parents], id) || found, false);
    assertions[id - firstId] = { ...assertion, takesCallback };
    return asks;
  };
  visit(parse(path, source), [], undefined);
  return { assertions, text: withInsertions(source, insertions) };
}
