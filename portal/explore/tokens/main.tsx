// Where the page of tokens begins.
import { loadChart } from "../../components/plot/load-chart.ts";
import { startExplore } from "../start.tsx";
import { Tokens } from "./Tokens.tsx";

startExplore(Tokens);
// While the page asks for the figures.
void loadChart();
