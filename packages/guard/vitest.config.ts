// The package's tests by themselves: `npm test --workspace packages/guard`. The project's own suites run them too.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/**/*.test.ts"], testTimeout: 60_000 } });
