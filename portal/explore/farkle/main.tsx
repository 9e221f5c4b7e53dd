// The entry point of the Farkle page.
import { startExplore } from "../start.tsx";
import { Farkle } from "./Farkle.tsx";

startExplore(Farkle);
