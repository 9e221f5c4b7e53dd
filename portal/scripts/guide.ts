// The additional script of guides: marks the section that is being read.
import { followSections } from "./on-this-page.ts";

followSections(document.querySelector<HTMLDetailsElement>("[data-on-this-page]"));
