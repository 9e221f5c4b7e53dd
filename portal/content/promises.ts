// What every plan includes, for the front page and the plans page.

/** Term and explanation. */
export const PROMISES = [
  ["One key, four protocols", "Every method works over REST, Connect, gRPC and gRPC-Web on the same port. Pick one, change later."],
  [
    "Limits you can plan with",
    "A rate per second and a quota per month, both hard, both in the headers of every response. No overage, ever.",
  ],
  ["You pay for results", "Calls that fail on our side are not counted. A refused call costs nothing."],
  ["Errors that say what to do", "Each error names its reason, the field at fault and when to retry, and has a page of its own."],
] as const;
