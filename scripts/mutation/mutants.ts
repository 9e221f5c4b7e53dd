// Finds the mutations that can be made in a source file, and writes a file with all of them, each behind its own switch.
import { childrenOf, type Insertion, isNode, lineAt, type Node, parse, withInsertions } from "./syntax.ts";

/** One fault. Offsets and columns are in UTF-16 units, lines begin with 1. */
export interface Mutant {
  readonly id: number;
  readonly path: string;
  readonly line: number;
  /** The kind of change, such as `true for a condition`. */
  readonly kind: string;
  /** The source that is replaced, on one line. */
  readonly original: string;
}

export interface MutatedSource {
  readonly mutants: readonly Mutant[];
  /** The source in which `globalThis.isMutant(id)` decides for each fault whether it is present. */
  readonly text: string;
}

const SWAPPED: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "-": "+",
  "*": "/",
  "/": "*",
};
/** Nodes with a condition in `test`, and what the condition may become. A loop that never ends would prove nothing. */
const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ["true", "false"],
  ConditionalExpression: ["true", "false"],
  WhileStatement: ["false"],
  ForStatement: ["false"],
};
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const ORIGINAL_SHOWN_MAX = 70;

/** Types have no value at run time, and neither have the names in imports and exports. */
const hasNoValue = (node: Node): boolean =>
  node.type.startsWith("TS") ? !HAS_VALUE.test(node.type) : NAMES_ONLY.test(node.type) && !isNode(node.declaration);
const HAS_VALUE = /^TS(As|NonNull|Satisfies)Expression$/;
const NAMES_ONLY = /^(Import|Export(All|Named)Declaration$)/;

const isText = (node: Node): boolean => node.type === "Literal" && typeof node.value === "string";

/** What a part of an expression may become: kind → source. */
type Replacements = readonly (readonly [kind: string, text: string])[];

function replacements(node: Node, parent: Node, slice: (node: Node) => string): Replacements {
  const conditions = parent.test === node ? (CONDITIONS[parent.type] ?? []) : [];
  const isArrowBody = parent.type === "ArrowFunctionExpression" && parent.body === node && node.type !== "BlockStatement";
  return [
    ...conditions.map((value) => [`${value} for a condition`, value] as const),
    ...ofOperator(node, conditions.length > 0, slice),
    ...ofLiteral(node, parent, slice),
    ...(isArrowBody ? [["no value", "undefined"] as const] : []),
  ];
}

function ofOperator(node: Node, isCondition: boolean, slice: (node: Node) => string): Replacements {
  if (node.type !== "BinaryExpression" && node.type !== "LogicalExpression") {
    return [];
  }
  const [left, right] = [slice(node.left as Node), slice(node.right as Node)];
  const operator = String(node.operator);
  const swapped = SWAPPED[operator];
  if (operator === "??") {
    return [["nothing for ??", left]];
  }
  // `+` joins strings too.
  if (operator === "+" && !/["'`]/.test(slice(node))) {
    return [["- for +", `${left} - ${right}`]];
  }
  // For a condition that is only a comparison, `true` and `false` test the same.
  const isCovered = isCondition && /^[!=]==$/.test(operator);
  return swapped === undefined || isCovered ? [] : [[`${swapped} for ${operator}`, `${left} ${swapped} ${right}`]];
}

function ofLiteral(node: Node, parent: Node, slice: (node: Node) => string): Replacements {
  if (node.type !== "Literal") {
    return [];
  }
  switch (typeof node.value) {
    case "number":
      return [["one more", `${slice(node)} + 1`]];
    case "boolean":
      return [["the other boolean", String(!node.value)]];
    case "string":
      // A value compared with a string is usually one of a few that the compiler knows.
      return node.value === "" || /Binary|Case/.test(parent.type) ? [] : [["an empty string", '""']];
    default:
      return [];
  }
}

/** Whether no other expression is allowed in the node's place. */
const isFixed = (node: Node, parent: Node): boolean =>
  ((parent.type === "Property" || /Definition$/.test(parent.type)) && parent.key === node && parent.computed !== true) ||
  (/^(ExpressionStatement|TSLiteralType)$/.test(parent.type) && isText(node)) ||
  parent.type === "ChainExpression";

/** Whether a statement may be left out. A constructor's call of its parent may not. */
const canBeDropped = (node: Node): boolean =>
  node.type === "ThrowStatement" ||
  (node.type === "ExpressionStatement" && (node.expression as Node).type !== "Literal" && !isSuperCall(node.expression as Node));
const isSuperCall = (node: Node): boolean => node.type === "CallExpression" && (node.callee as Node).type === "Super";

/** All faults of a source file, with ids from `firstId` on. */
export function mutate(path: string, source: string, firstId: number): MutatedSource {
  const mutants: Mutant[] = [];
  const insertions: Insertion[] = [];
  const slice = (node: Node): string => source.slice(node.start, node.end);
  const add = (node: Node, kind: string): string => {
    const id = firstId + mutants.length;
    mutants.push({
      id,
      path,
      line: lineAt(source, node.start),
      kind,
      original: slice(node).replaceAll(/\s+/g, " ").slice(0, ORIGINAL_SHOWN_MAX),
    });
    return `globalThis.isMutant(${id})`;
  };
  const put = (at: number, text: string, ends = false): void => {
    insertions.push({ at, ends, text });
  };

  const visit = (node: Node, parent: Node): void => {
    if (hasNoValue(node)) {
      return;
    }
    const choices = isFixed(node, parent) ? [] : replacements(node, parent, slice);
    if (choices.length > 0) {
      put(node.start, `(${choices.map(([kind, text]) => `${add(node, kind)} ? (${text}) : `).join("")}(`);
    }
    if (canBeDropped(node)) {
      put(node.start, `if (!${add(node, "a statement less")}) `);
    } else if (node.type === "ReturnStatement" && isNode(node.argument)) {
      put(node.start, `if (${add(node, "no value")}) return; `);
    } else if (
      node.type === "BlockStatement" &&
      FUNCTIONS.has(parent.type) &&
      parent.body === node &&
      (node.body as Node[]).length > 1
    ) {
      put(node.start + 1, hasSuperCall(node) ? "" : ` if (${add(node, "an empty body")}) return; `);
    }
    for (const child of childrenOf(node)) {
      visit(child, node);
    }
    if (choices.length > 0) {
      put(node.end, "))", true);
    }
  };
  const program = parse(path, source);
  visit(program, program);
  return { mutants, text: withInsertions(source, insertions) };
}

const hasSuperCall = (block: Node): boolean =>
  (block.body as readonly Node[]).some((node) => node.type === "ExpressionStatement" && isSuperCall(node.expression as Node));
