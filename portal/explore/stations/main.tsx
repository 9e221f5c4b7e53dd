// The entry point of the stations page.
import { startExplore } from "../start.tsx";
import { Stations } from "./Stations.tsx";

startExplore(Stations);
