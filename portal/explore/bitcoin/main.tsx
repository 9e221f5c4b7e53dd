// Where the page of Bitcoin begins.
import { startExplore } from "../start.tsx";
import { Bitcoin } from "./Bitcoin.tsx";

startExplore(Bitcoin);
