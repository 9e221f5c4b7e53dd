// What every plan includes, for the front page and the plans page.

/** Term and explanation. */
export const PROMISES = [
  ["One key, four protocols", "Every method works over REST, Connect, gRPC and gRPC-Web on the same port. Pick one, change later."],
  [
    "Limits you can plan with",
    "A rate per second and a quota per month, both hard, both in the headers of every response. No overage, ever.",
  ],
  ["You pay for results", "What fails on our side is not counted. A refused call costs nothing."],
  ["Errors that say what to do", "A reason, the field it is about, and when to retry. Each has a page."],
] as const;
