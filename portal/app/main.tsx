// Where the application begins.
import { render } from "preact";
import "../styles/base.css";
import { App } from "./App.tsx";

const root = document.querySelector("#app");
if (root !== null) {
  // What the document holds until now is what the application shows first.
  root.replaceChildren();
  render(<App />, root);
}
