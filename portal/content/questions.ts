// What people ask before they choose a plan, for the plans page and its Markdown.

/** Question and answer. */
export const PLAN_QUESTIONS = [
  ["Can I be charged more than the plan's price?", "No. Calls over a limit are refused, and cost nothing."],
  [
    "Which calls count?",
    "Those that were admitted, even if they then fail because of their input. Calls that fail on our side do not count. All keys of an account share the limits of its subscriptions.",
  ],
  [
    "When does a plan start?",
    "A free plan starts right away. The operator of this server activates a paid one after you request it; until then you keep your current plan.",
  ],
  [
    "How do I pay?",
    "The operator arranges payment with you when you request a paid plan. No card is stored here, and nothing is charged automatically.",
  ],
  [
    "Can I switch or cancel?",
    "Yes, at any time, for each service separately. Calls you have already made still count this month, and the next month starts at 0.",
  ],
  [
    "How reliable is it?",
    "The status page shows the measured availability and response times of each service over the last 90 days. Availability is not guaranteed unless you and the operator have agreed on it.",
  ],
  [
    "May I use the data in a product?",
    "That depends on where the data comes from. The guide “Sources of the data” lists the terms of each source, and how to credit it.",
  ],
] as const;
