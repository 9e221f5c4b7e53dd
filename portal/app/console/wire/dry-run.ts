// The responses to dry runs.

/** Whether this is the response to a dry run whose call would be admitted. Then it has no content. */
export const isAdmittedDryRun = ({ headers }: { readonly headers: Headers }): boolean =>
  headers.get("x-quintet-dry-run") === "admitted";
