// The scripts of a document: the theme switch, copy buttons, number formats for the reader's language, the server's own origin in
// examples, the section that is being read, a sample that can be run, and search. Everything can be read without them.
import { addCopyButtons } from "./copy-buttons.ts";
import { localizeNumbers } from "./numbers.ts";
import { followSections } from "./on-this-page.ts";
import { putOwnAddress } from "./own-address.ts";
import { bindSample } from "./sample.ts";
import { bindSearch } from "./search-box.ts";
import { foldSideNav } from "./side-nav.ts";
import { bindThemeToggle } from "./theme-toggle.ts";

bindThemeToggle(document.querySelector<HTMLButtonElement>("[data-theme-toggle]"));
bindSearch(document.querySelector<HTMLButtonElement>("[data-search]"));
foldSideNav(document.querySelector<HTMLDetailsElement>("[data-side-nav]"));
followSections(document.querySelector<HTMLDetailsElement>("[data-on-this-page]"));
bindSample(document.querySelector<HTMLFormElement>("[data-run-sample]"));
putOwnAddress(document.querySelectorAll("pre code"), location.origin);
addCopyButtons(document.querySelectorAll("pre"));
localizeNumbers(document.querySelectorAll<HTMLDataElement>("data[value]"));
