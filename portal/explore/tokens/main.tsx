// Where the page of tokens begins.
import { startExplore } from "../start.tsx";
import { Tokens } from "./Tokens.tsx";

startExplore(Tokens);
