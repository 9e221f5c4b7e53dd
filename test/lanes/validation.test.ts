// What is said of a field that breaks a rule, from protovalidate's own words.
import { describe, expect, test } from "vitest";
import { describeViolation } from "../../src/lanes/validation.ts";

describe("a text follows a field's name, and counts as people do:", () => {
  test.each([
    ["must be at least 1 characters", "must be at least 1 character"],
    ["must be at least 2 characters", "must be at least 2 characters"],
    ["must be at most 11 characters", "must be at most 11 characters"],
    ["must be at most 21 characters", "must be at most 21 characters"],
    ["must be 1 bytes", "must be 1 byte"],
    ["must be at most 64 bytes", "must be at most 64 bytes"],
    ["must contain at least 1 item(s)", "must contain at least 1 item"],
    ["must contain no more than 100 item(s)", "must contain no more than 100 items"],
    ["map must be at least 1 entries", "map must be at least 1 entry"],
    [
      "value must be greater than or equal to 1 and less than or equal to 6",
      "must be greater than or equal to 1 and less than or equal to 6",
    ],
    ["value is required", "is required"],
    ["value does not match regex pattern `^[1]{1}$`", "does not match regex pattern `^[1]{1}$`"],
    ["repeated value must contain unique items", "repeated value must contain unique items"],
  ])("%s", (message, expected) => {
    expect(describeViolation(message)).toBe(expected);
  });
});
