// Plan files for tests, which say of each plan only what matters to them.
import { SERVICE_NAMES, type ServiceName } from "../src/services/service.ts";

/** What plans a test offers: service → its plans; a service that is not named has one generous free plan. */
export type TestPlans = Partial<Record<ServiceName, readonly TestPlan[]>>;

/** A plan as the plan file has it, without what does not matter to tests. */
export interface TestPlan {
  readonly name: string;
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
  /** Free when left out. */
  readonly priceMinor?: number;
  readonly farkleBreakdown?: boolean;
  readonly tokensPerCallMax?: number;
}

const generous: TestPlan = {
  name: "free",
  callsPerMonth: 1_000_000,
  requestsPerSecond: 100_000,
  farkleBreakdown: true,
  tokensPerCallMax: 100,
};

/** The text of a plan file that offers these. */
export function planFile(plans: TestPlans): string {
  const entries = SERVICE_NAMES.map((service) => {
    const full = (plans[service] ?? [generous]).map(({ farkleBreakdown = true, tokensPerCallMax = 100, ...plan }) => ({
      priceMinor: 0,
      ...plan,
      currency: "EUR",
      ...(service === "farkle" && { farkleBreakdown }),
      ...(service === "token-price" && { tokensPerCallMax }),
    }));
    return [service, full];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
