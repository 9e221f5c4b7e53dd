import { describe, expect, test } from "vitest";
import { parseTemplate, type Variable } from "../src/template.ts";

// Segments as in the template, with literals decoded; variables as field@start-end, with + for several segments.
const variableText = ({ fieldPath, start, end, multi }: Variable): string =>
  `${fieldPath}@${start}-${end ?? ""}${multi ? "+" : ""}`;

describe("a template is parsed into segments, variables and a verb", () => {
  test.each([
    ["/v1", "v1", "", ""],
    ["/v1/messages", "v1|messages", "", ""],
    ["/*", "*", "", ""],
    ["/**", "**", "", ""],
    ["/v1/*/b/**", "v1|*|b|**", "", ""],
    ["/v1/{name}", "v1|*", "name@1-2", ""],
    ["/v1/{name=*}", "v1|*", "name@1-2", ""],
    ["/v1/{name=**}", "v1|**", "name@1-+", ""],
    ["/v1/{name=a}", "v1|a", "name@1-2", ""],
    ["/v1/{name=a/*}", "v1|a|*", "name@1-3+", ""],
    ["/v1/{name=a/**}", "v1|a|**", "name@1-+", ""],
    ["/v1/{a.b.c=x/*}/y/{d}", "v1|x|*|y|*", "a.b.c@1-3+ d@4-5", ""],
    ["/{a}/{b}/{c}", "*|*|*", "a@0-1 b@1-2 c@2-3", ""],
    ["/{_a1.B_2}", "*", "_a1.B_2@0-1", ""],
    ["/v1:verb", "v1", "", "verb"],
    ["/v1/{name}:verb", "v1|*", "name@1-2", "verb"],
    ["/v1/{name=a/*}:verb", "v1|a|*", "name@1-3+", "verb"],
    ["/v1/**:verb", "v1|**", "", "verb"],
    ["/v1/{name=**}:verb", "v1|**", "name@1-+", "verb"],
    ["/a%2Fb/c%20d:%76erb", "a/b|c d", "", "verb"],
    ["/-._~!$&'()+,;=@", "-._~!$&'()+,;=@", "", ""],
    ["/%E6%96%87", "文", "", ""],
    ["/a%3Ab:c%3Ad", "a:b", "", "c:d"],
  ])("%s", (source, segments, variables, verb) => {
    const template = parseTemplate(source);
    expect({
      source: template.source,
      segments: template.segments.map((segment) => (segment.kind === "literal" ? segment.text : segment.kind)).join("|"),
      variables: template.variables.map(variableText).join(" "),
      verb: template.verb,
    }).toEqual({ source, segments, variables, verb });
  });
});

describe("a template that the grammar does not allow is refused, with the column", () => {
  test.each([
    ["", 'column 1: expected "/", found the end'],
    ["v1", 'column 1: expected "/", found "v"'],
    ["/", "column 2: expected a segment, found the end"],
    ["//a", 'column 2: expected a segment, found "/"'],
    ["/a/", "column 4: expected a segment, found the end"],
    ["/a//b", 'column 4: expected a segment, found "/"'],
    ["/:verb", 'column 2: expected a segment, found ":"'],
    ["/a:", "column 4: expected a verb, found the end"],
    ["/a:b:c", 'column 5: expected the end, found ":"'],
    ["/a:b/c", 'column 5: expected the end, found "/"'],
    ["/a:*", 'column 4: expected a verb, found "*"'],
    ["/a*", 'column 3: expected "/", ":" or the end, found "*"'],
    ["/***", 'column 4: expected "/", ":" or the end, found "*"'],
    ["/**/a", "column 5: nothing but a verb may follow **"],
    ["/{a=**}/b", "column 9: nothing but a verb may follow **"],
    ["/{a=**/b}", "column 8: nothing but a verb may follow **"],
    ["/a b", 'column 3: expected "/", ":" or the end, found " "'],
    ["/a?b", 'column 3: expected "/", ":" or the end, found "?"'],
    ["/ä", 'column 2: expected a segment, found "ä"'],
    ["/%2", 'column 2: expected a segment, found "%"'],
    ["/a%zz", 'column 3: expected "/", ":" or the end, found "%"'],
    ["/a%ff", "column 2: percent-encoding that is not UTF-8"],
    ["/{", "column 3: expected a field name, found the end"],
    ["/{}", 'column 3: expected a field name, found "}"'],
    ["/{1a}", 'column 3: expected a field name, found "1"'],
    ["/{a.}", 'column 5: expected a field name, found "}"'],
    ["/{a..b}", 'column 5: expected a field name, found "."'],
    ["/{a", 'column 4: expected "}", found the end'],
    ["/{a=}", 'column 5: expected a segment, found "}"'],
    ["/{a=b", 'column 6: expected "}", found the end'],
    ["/{a-b}", 'column 4: expected "}", found "-"'],
    ["/{a:verb}", 'column 4: expected "}", found ":"'],
    ["/{a=b:verb}", 'column 6: expected "}", found ":"'],
    ["/{a={b}}", "column 5: a variable cannot contain another variable"],
    ["/{a=x/{b}}", "column 7: a variable cannot contain another variable"],
    ["/{a}/{a}", "column 7: two variables bind a"],
    ["/{a.b}/{a.b=x/*}", "column 9: two variables bind a.b"],
    ["/{a}b", 'column 5: expected "/", ":" or the end, found "b"'],
    ["/a{b}", 'column 3: expected "/", ":" or the end, found "{"'],
    ["/a}", 'column 3: expected "/", ":" or the end, found "}"'],
  ])("%s", (source, message) => {
    expect(() => parseTemplate(source)).toThrow(new Error(message));
  });
});
