// Where the page of Farkle begins.
import { startExplore } from "../start.tsx";
import { Farkle } from "./Farkle.tsx";

startExplore(Farkle);
