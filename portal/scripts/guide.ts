// The script of guides besides that of all documents: marks the section that is being read.
import { followSections } from "./on-this-page.ts";

followSections(document.querySelector<HTMLDetailsElement>("[data-on-this-page]"));
