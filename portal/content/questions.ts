// What people ask before they choose a plan, for the plans page and its Markdown.

/** Question and answer. */
export const PLAN_QUESTIONS = [
  ["Can I be charged more than the plan's price?", "No. Calls over a limit are refused, and cost nothing."],
  [
    "When does a plan start?",
    "A free plan starts right away, a paid one when you have paid by card or the operator activates it. Until then, you keep your current plan.",
  ],
  ["How do I pay?", "By card each month, on Stripe's pages, or as the operator arranges with you when you request a plan."],
  ["Can I switch or cancel?", "Yes, at any time, for each service separately. Calls you have already made still count this month."],
  [
    "How reliable is it?",
    "The status page shows the measured availability and response times of each service over the last 90 days. Availability is not guaranteed unless you and the operator have agreed on it.",
  ],
  [
    "May I use the data in a product?",
    "That depends on where the data comes from. The guide “Data sources” lists the terms of each source, and how to credit it.",
  ],
] as const;
