// The application's entry point.
import { render } from "preact";
import "../styles/base.css";
import "../styles/interactive.css";
import "../styles/code.css";
import { App } from "./App.tsx";

const root = document.querySelector("#app");
if (root !== null) {
  // The application takes over the content that the document already contains.
  root.replaceChildren();
  render(<App />, root);
}
