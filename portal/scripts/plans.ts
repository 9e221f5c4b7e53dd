// The plans page. Its slider marks the cheapest plan of the chosen service that has enough calls, and says what it costs; it reads the
// plans from the cards. Their buttons lead customers straight to the plan, and everybody else to the sign-up page first.

const CALLS_MIN = 100;
// Beyond the largest plan, so that the slider can also say that none is large enough.
const BEYOND_LARGEST = 1.5;

const slider = document.querySelector<HTMLInputElement>("input[type=range]");
const output = document.querySelector("output");
const radios = [...document.querySelectorAll<HTMLInputElement>("input[name=service]")];
const cardsOf = (service: string): readonly Element[] => [
  ...document.querySelectorAll(`section[data-service="${service}"] article`),
];
const callsOf = (card: Element): number => Number(card.querySelector<HTMLDataElement>("li data")?.value);

// The scale of the slider is logarithmic, because each plan has several times the calls of the one below. Two digits are precise enough.
function callsAt(position: number, largest: number): number {
  const calls = CALLS_MIN * ((largest * BEYOND_LARGEST) / CALLS_MIN) ** (position / 100);
  return Number(calls.toPrecision(2));
}

function show(): void {
  const service = radios.find(({ checked }) => checked)?.value ?? "";
  const cards = cardsOf(service);
  if (!slider || !output || cards.length === 0) {
    return;
  }
  const calls = callsAt(Number(slider.value), Math.max(...cards.map(callsOf)));
  // The cheapest card comes first.
  const fits = cards.find((card) => calls <= callsOf(card));
  for (const card of cards) {
    card.ariaCurrent = card === fits ? "true" : null;
  }
  const text = `${calls.toLocaleString()} calls per month`;
  slider.ariaValueText = text;
  output.textContent = `${text}: ${fits === undefined ? "more than the largest plan includes. Ask us." : costOf(fits)}`;
}

// `Pro is enough, at €24 a month, €288 a year.`
function costOf(card: Element): string {
  const sums = [...card.querySelectorAll("p:has(data)")].map(({ textContent }) => textContent);
  const name = card.querySelector("h3")?.textContent;
  return `${name} is enough, at ${sums.join(", ")}.`;
}

// The cards' buttons name their plans.
async function markOwnPlans(): Promise<void> {
  const response = await fetch("/account/v1/subscriptions");
  const { data } = (await response.json()) as {
    readonly data: {
      readonly results: readonly { readonly service: string; readonly plan: string; readonly state: string }[];
    } | null;
  };
  for (const { service, plan, state } of data?.results ?? []) {
    const button = document.querySelector(`a[href$="=${service}&plan=${plan}"]`);
    if (button && state !== "requested") {
      button.textContent = "Your plan";
    }
  }
}

// scripts/first-paint.ts has marked the document for customers. The plan's path is what follows `?next=`.
for (const button of document.querySelectorAll<HTMLAnchorElement>("[data-member] article a")) {
  button.href = decodeURIComponent(button.search.slice(6));
}
if (document.querySelector("[data-member]")) {
  markOwnPlans().catch(() => {
    // The page is complete without the marks.
  });
}

for (const radio of radios) {
  // A link to a service's heading chooses the service.
  radio.checked ||= location.hash === `#${radio.value}`;
  radio.addEventListener("change", () => {
    history.replaceState(history.state, "", `#${radio.value}`);
    show();
  });
}
slider?.addEventListener("input", show);
show();
