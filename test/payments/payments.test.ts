// Payments by card over SQLite.
import { describe } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { putMigratedDatabase } from "../fixtures/migrated-data.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { paymentsSuite } from "../suites/payments.ts";

describe("payments over SQLite", () => {
  paymentsSuite(async (clock) => {
    const dataDir = temporaryDirectory();
    await putMigratedDatabase(dataDir, { hasPlans: true });
    const store = await openStore({ dataDir, clock, role: "command" });
    return [store, store];
  }, 40);
});
