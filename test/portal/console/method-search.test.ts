// What people type into the field of the console that chooses a method, and which methods it offers them.
import { describe, expect, test } from "vitest";
import { bestMethod, findMethods } from "../../../portal/app/console/method-search.ts";
import { CONTRACT } from "./contract.ts";

const { methods } = CONTRACT;

describe("Typing", () => {
  test.each([
    ["score", "farkle/score"],
    ["search stations", "radio/search-stations"],
    ["searchstations", "radio/search-stations"],
    ["radio search", "radio/search-stations"],
    ["SEARCH", "radio/search-stations"],
    ["getlist", "token-list/get-list"],
    ["get list", "token-list/get-list"],
    ["mayer", "bitcoin/get-mayer"],
    ["watch", "token-price/watch-prices"],
    ["/farkle/v1/score", "farkle/score"],
    ["quintet.farkle.v1.FarkleService/Score", "farkle/score"],
    ["token-price/watch-prices", "token-price/watch-prices"],
  ])("“%s” chooses %s first", (query, slug) => {
    const found = findMethods(methods, query);
    expect(found[bestMethod(found, query)]?.slug).toBe(slug);
  });

  test("words that match no method find nothing", () => {
    expect(findMethods(methods, "score of thrones")).toEqual([]);
  });

  test("typing nothing offers all methods, in their order", () => {
    expect([findMethods(methods, ""), findMethods(methods, "  /")]).toEqual([methods, methods]);
    expect(bestMethod(methods, "")).toBe(0);
  });
});
