// Runs before anything is painted, so that the page never flashes: applies the theme that the reader chose, and tells the header whether
// this browser is signed in. It is a separate classic script. A browser may forbid storage.
import { isMarkedMember } from "../api/member-mark.ts";

const root = document.documentElement;
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") {
    root.style.colorScheme = chosen;
  }
  if (isMarkedMember()) {
    root.dataset.member = "";
  }
} catch {
  // Without storage, the page has the system's colours, and its header shows the links to sign in.
}
