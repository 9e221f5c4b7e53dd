// Runs before anything is painted: applies the theme that the reader chose. It is a separate classic script so that the page never
// flashes in the other theme.
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") {
  document.documentElement.style.colorScheme = chosen;
}
