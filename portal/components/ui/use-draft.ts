// Keeps what was typed into a form through a reload of the page, in the tab's own storage. Passwords are never kept.
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

type Input = HTMLInputElement | HTMLSelectElement;

const inputsOf = (form: HTMLFormElement): readonly Input[] =>
  [...form.elements].filter(
    (element): element is Input =>
      (element instanceof HTMLInputElement && element.type !== "password") || element instanceof HTMLSelectElement,
  );

const isChoice = (input: Input): input is HTMLInputElement => input instanceof HTMLInputElement && input.type === "checkbox";

/** Fills `form` from what is kept under `name`, and keeps what is typed until the form is gone. Does nothing without a name. */
export function useDraft(form: RefObject<HTMLFormElement | null>, name: string | undefined): void {
  useEffect(() => {
    const shown = form.current;
    if (shown === null || name === undefined) {
      return undefined;
    }
    const key = `draft:${name}`;
    const kept = sessionStorage.getItem(key);
    if (kept !== null) {
      restore(shown, kept);
      // Some inputs come only with a choice that was made just now.
      requestAnimationFrame(() => restore(shown, kept));
    }
    const keep = (): void => {
      const values = inputsOf(shown).map((input) => (isChoice(input) ? input.checked : input.value));
      sessionStorage.setItem(key, JSON.stringify(values));
    };
    shown.addEventListener("input", keep);
    return () => {
      shown.removeEventListener("input", keep);
      sessionStorage.removeItem(key);
    };
  }, [form, name]);
}

// In the order of the inputs.
function restore(form: HTMLFormElement, kept: string): void {
  const values = JSON.parse(kept) as readonly unknown[];
  inputsOf(form).forEach((input, index) => {
    const value = values[index];
    if (isChoice(input)) {
      input.checked = value === true;
    } else if (typeof value === "string") {
      input.value = value;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}
