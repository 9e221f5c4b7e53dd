// The button that cycles through the themes: system, light, dark. It shows the icon of the chosen one.
const CHOICES: readonly string[] = ["system", "light", "dark"];

/** Shows the button and makes it work. */
export function bindThemeToggle(button: HTMLButtonElement | null): void {
  if (button === null) {
    return;
  }
  let at = Math.max(0, CHOICES.indexOf(localStorage.getItem("theme") ?? ""));
  const show = (): void => {
    const choice = CHOICES[at] ?? "system";
    document.documentElement.style.colorScheme = choice === "system" ? "" : choice;
    button.dataset.choice = choice;
    button.setAttribute("aria-label", `Theme: ${choice}`);
    button.title = `Theme: ${choice}`;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % CHOICES.length;
    localStorage.setItem("theme", CHOICES[at] ?? "system");
    show();
  });
  show();
  button.hidden = false;
}
