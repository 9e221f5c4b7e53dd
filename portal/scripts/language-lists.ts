// Shows samples in the language that was last chosen. Without scripts, each language is a radio button; with them, a list, which takes less
// space.
import { chosenLanguage, rememberLanguage } from "../api/chosen-language.ts";

for (const languages of document.querySelectorAll<HTMLFieldSetElement>("[data-languages]")) {
  const choices = [...languages.querySelectorAll<HTMLInputElement>("[type=radio]")];
  const list = document.createElement("select");
  list.setAttribute("aria-label", languages.querySelector("legend")?.textContent ?? "");
  list.append(...choices.map(({ value }) => new Option(value, value)));
  const show = (title: string | undefined): void => {
    const choice = choices.find(({ value }) => value === title) ?? choices[0];
    if (choice !== undefined) {
      choice.checked = true;
      list.value = choice.value;
    }
  };
  show(chosenLanguage());
  list.addEventListener("change", () => {
    show(list.value);
    rememberLanguage(list.value);
  });
  for (const { parentElement: label } of choices) {
    label?.toggleAttribute("hidden", true);
  }
  languages.prepend(list);
}
