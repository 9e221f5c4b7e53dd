// The entry point of the Bitcoin page.
import { loadChart } from "../../components/plot/load-chart.ts";
import { startExplore } from "../start.tsx";
import { Bitcoin } from "./Bitcoin.tsx";

startExplore(Bitcoin);
// Loads the code for plots while the page requests the data.
void loadChart();
