// Search: a dialog that is loaded, with its index, when it is first opened.

/** Shows the button. The button, the key `/` and Ctrl+K (or Command+K) open the dialog. */
export function bindSearch(button: HTMLButtonElement | null): void {
  if (button === null) {
    return;
  }
  const open = (): Promise<void> => import("./search-dialog.ts").then((dialog) => dialog.openSearch());
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
const TYPED_INTO = "textarea, select, input:not([type=radio], [type=checkbox], [type=range])";

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.matches(TYPED_INTO);
