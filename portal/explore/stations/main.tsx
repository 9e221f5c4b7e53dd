// Where the page of stations begins.
import { startExplore } from "../start.tsx";
import { Stations } from "./Stations.tsx";

startExplore(Stations);
