// The entry point of the tokens page.
import { loadChart } from "../../components/plot/load-chart.ts";
import { startExplore } from "../start.tsx";
import { Tokens } from "./Tokens.tsx";

startExplore(Tokens);
// At the same time as the page requests the data.
void loadChart();
