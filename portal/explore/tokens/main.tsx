// The entry point of the tokens page.
import { loadChart } from "../../components/plot/load-chart.ts";
import { startExplore } from "../start.tsx";
import { Tokens } from "./Tokens.tsx";

startExplore(Tokens);
// Loads the code for plots while the page requests the data.
void loadChart();
