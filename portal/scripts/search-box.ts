// Search: a dialog that is loaded, with its index, when it is first opened.

/** Shows the button. The button, the key `/` and Ctrl+K (or Command+K) open the dialog. */
export function bindSearch(button: HTMLButtonElement | null): void {
  if (button === null) {
    return;
  }
  const open = async (): Promise<void> => {
    const { openSearch } = await import("./search-dialog.ts");
    await openSearch();
  };
  button.addEventListener("click", () => void open());
  document.addEventListener("keydown", (event) => {
    const isShortcut = (event.key === "/" && !isTyping(event.target)) || (event.key === "k" && (event.metaKey || event.ctrlKey));
    if (isShortcut && !event.altKey) {
      event.preventDefault();
      void open();
    }
  });
  button.hidden = false;
}

// Tabs, checkboxes and sliders are inputs too, but nobody types into them.
const takesText = (input: HTMLInputElement): boolean => !/^(?:radio|checkbox|range|button|submit|file|color)$/.test(input.type);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement
    ? takesText(target)
    : target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
