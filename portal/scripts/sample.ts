// The form below a sample of the reference, which runs the sample. The code that does so is loaded at the first run.

export function bindSample(form: HTMLFormElement | null): void {
  const status = form?.querySelector<HTMLElement>("[role=status]");
  const response = document.querySelector<HTMLElement>("[data-response] code");
  if (form === null || !status || response === null) {
    return;
  }
  const { verb = "GET", target = "", body, stream, credential } = form.dataset;
  let isRunning = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isRunning) {
      return;
    }
    isRunning = true;
    void run().finally(() => {
      isRunning = false;
    });
  });
  form.hidden = false;

  async function run(): Promise<void> {
    const { runSample } = await import("../reference/run-sample.ts");
    await runSample({
      sample: { verb, target, body, isStream: stream !== undefined },
      needsKey: credential === "key",
      keyField: form?.querySelector("input") ?? null,
      status: status as HTMLElement,
      response: response as HTMLElement,
    });
  }
}
