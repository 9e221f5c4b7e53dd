// Where the page of Bitcoin begins.
import { loadChart } from "../../components/plot/load-chart.ts";
import { startExplore } from "../start.tsx";
import { Bitcoin } from "./Bitcoin.tsx";

startExplore(Bitcoin);
// While the page asks for the figures.
void loadChart();
