// Saves a table as a CSV file, which the browser creates from the data on the page: nothing is requested from the server.
import { Button } from "../../components/ui/Button.tsx";
import { csvOf } from "./csv.ts";

const URL_LIFETIME_MS = 10_000;

/** `fileName` has no extension. */
export const CsvButton = ({
  fileName,
  headings,
  rows,
}: {
  readonly fileName: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}) => (
  <Button
    kind="plain"
    label={`Download CSV: ${fileName}.csv`}
    onClick={() => {
      const url = URL.createObjectURL(new Blob([csvOf(headings, rows)], { type: "text/csv;charset=utf-8" }));
      const link = document.createElement("a");
      link.href = url;
      link.download = `${fileName}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
    }}
  >
    Download CSV
  </Button>
);
