// What every plan includes, for the front page and the plans page.

/** Term and explanation. */
export const PROMISES = [
  ["One key, four protocols", "Every method works over REST, Connect, gRPC and gRPC-Web on the same port. Pick one, change later."],
  [
    "Limits you can plan around",
    "Two hard limits: a rate per second and a quota per month. Every response says how much is left. No overage charges, ever.",
  ],
  [
    "Our failures are free",
    "Calls that fail on our side are not counted, and refused calls cost nothing. Calls with wrong input count.",
  ],
  [
    "Errors that say what to do",
    "Each error gives its reason, names the field at fault, says when to retry, and has a page of its own.",
  ],
] as const;
