// The responses to dry runs.
import type { ResponseHead } from "./response.ts";

/** Whether this is the response to a dry run whose call would be admitted. Then it has no content. */
export const isAdmittedDryRun = ({ headers }: ResponseHead): boolean => headers.get("x-quintet-dry-run") === "admitted";
