// Countries as people call them. The directory has official names, which fill a line: The United Kingdom Of Great Britain And Northern
// Ireland.
const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** United Kingdom, for `GB`. `official` is the directory's name, for stations and countries without a code that is known. */
export function countryName(code: string | undefined, official: string | undefined): string {
  const known = code !== undefined && /^[A-Z]{2}$/.test(code) ? names.of(code) : undefined;
  return known ?? official ?? "";
}
