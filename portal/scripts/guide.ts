// The additional script of guides: marks the section that is being read, and makes the languages of the quickstart a list.
import "./language-lists.ts";
import { followSections } from "./on-this-page.ts";

followSections(document.querySelector<HTMLDetailsElement>("[data-on-this-page]"));
