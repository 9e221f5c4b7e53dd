// The additional script of the reference: makes the sample of a page runnable.
import { bindSample } from "./sample.ts";

bindSample(document.querySelector<HTMLFormElement>("[data-run-sample]"));
