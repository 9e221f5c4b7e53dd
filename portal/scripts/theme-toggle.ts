// The button that cycles through the themes: system, light, dark.
const CHOICES = [
  { theme: "system", sign: "◐", words: "system" },
  { theme: "light", sign: "☀", words: "light" },
  { theme: "dark", sign: "☾", words: "dark" },
] as const;

/** Shows the button and lets it work. */
export function bindThemeToggle(button: HTMLButtonElement | null): void {
  if (button === null) {
    return;
  }
  let at = Math.max(
    0,
    CHOICES.findIndex(({ theme }) => theme === localStorage.getItem("theme")),
  );
  const show = (): void => {
    const choice = CHOICES[at] ?? CHOICES[0];
    document.documentElement.style.colorScheme = choice.theme === "system" ? "" : choice.theme;
    button.textContent = choice.sign;
    button.setAttribute("aria-label", `Theme: ${choice.words}`);
    button.title = `Theme: ${choice.words}`;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % CHOICES.length;
    localStorage.setItem("theme", CHOICES[at]?.theme ?? "system");
    show();
  });
  show();
  button.hidden = false;
}
