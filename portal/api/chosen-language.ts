// The language in which a reader last chose to see calls. All samples begin with it: in the reference, the console and a new key's dialog.
const NAME = "language";

/** Its title, such as `Python`; undefined if none was chosen here, or while documents are built. */
export function chosenLanguage(): string | undefined {
  try {
    return typeof document === "undefined" ? undefined : (localStorage.getItem(NAME) ?? undefined);
  } catch {
    return undefined;
  }
}

export function rememberLanguage(title: string): void {
  try {
    localStorage.setItem(NAME, title);
  } catch {
    // Then the next sample begins with the first language.
  }
}
