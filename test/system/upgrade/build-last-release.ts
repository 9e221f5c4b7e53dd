// Builds the last release for the tests of upgrades, if it is not built yet. The gate does so while other steps run.
import { lastReleaseEntry } from "./last-release.ts";

process.stdout.write(`${lastReleaseEntry()}\n`);
