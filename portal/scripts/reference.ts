// The script of the reference besides that of all documents: a sample that can be run.
import { bindSample } from "./sample.ts";

bindSample(document.querySelector<HTMLFormElement>("[data-run-sample]"));
