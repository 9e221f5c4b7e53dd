// The button that cycles through the themes: system, light, dark. It shows the icon of the chosen one.
const CHOICES = ["system", "light", "dark"];

/** Shows the button and makes it work. */
export function bindThemeToggle(button: HTMLButtonElement | null): void {
  if (button === null) {
    return;
  }
  let at = Math.max(0, CHOICES.indexOf(localStorage.getItem("theme") ?? ""));
  const show = (): void => {
    const choice = CHOICES[at] as string;
    document.documentElement.style.colorScheme = choice === "system" ? "" : choice;
    button.dataset.choice = choice;
    button.ariaLabel = button.title = `Theme: ${choice}`;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % CHOICES.length;
    localStorage.setItem("theme", CHOICES[at] as string);
    show();
  });
  show();
  button.hidden = false;
}
