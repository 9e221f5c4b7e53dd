// Runs before anything is painted: puts on the colours that the reader chose. It is a classic script of its own so that the page never
// flashes in the others.
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") {
  document.documentElement.style.colorScheme = chosen;
}
