// The additional script of the reference: makes the sample of a page runnable, and its languages a list.
import "./language-lists.ts";
import { bindSample } from "./sample.ts";

bindSample(document.querySelector<HTMLFormElement>("[data-run-sample]"));
