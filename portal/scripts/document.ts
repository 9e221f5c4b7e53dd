// The scripts of every document: the theme switch, copy buttons, number formats for the reader's language, the server's own address in
// examples, live calls, and search. Everything can be read without them. Guides, plans and the reference also have scripts of their own.
import { addCopyButtons } from "./copy-buttons.ts";
import { bindLiveCalls } from "./live-calls.ts";
import { localizeNumbers } from "./numbers.ts";
import { putOwnAddress } from "./own-address.ts";
import { bindSearch } from "./search-box.ts";
import { setUpSideNav } from "./side-nav.ts";
import { bindThemeToggle } from "./theme-toggle.ts";

bindThemeToggle(document.querySelector<HTMLButtonElement>("[data-theme-toggle]"));
bindSearch(document.querySelector<HTMLButtonElement>("[data-search]"));
setUpSideNav(document.querySelector<HTMLDetailsElement>("[data-side-nav]"));
putOwnAddress(document.querySelectorAll("pre code"), location);
addCopyButtons(document.querySelectorAll("pre"));
bindLiveCalls(document.querySelectorAll<HTMLButtonElement>("[data-run]"));
localizeNumbers(document.querySelectorAll<HTMLDataElement>("data[value]"));
