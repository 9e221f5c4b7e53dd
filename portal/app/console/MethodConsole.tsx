// One method: its form, and the result of calling it.
import { useEffect, useRef, useState } from "preact/hooks";
import { UNREACHABLE } from "../../api/console-key.ts";
import { Button } from "../../components/ui/Button.tsx";
import { CopyButton } from "../../components/ui/CopyButton.tsx";
import { later } from "../../components/ui/later.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import styles from "./Console.module.css";
import { type CallState, outcomeOf } from "./call-state.ts";
import type { ConsoleMethod, Contract } from "./contract/contract.ts";
import { DryRunBox } from "./DryRunBox.tsx";
import { FormInput } from "./FormInput.tsx";
import type { FormField } from "./form/fields.ts";
import { type FieldFault, type FormValues, outOfRange } from "./form/values.ts";
import { HistoryPanel } from "./HistoryPanel.tsx";
import { readHistory, withEntry } from "./history.ts";
import { KeyLine } from "./KeyLine.tsx";
import { Panels } from "./Panels.tsx";
import { RecordedResponse, ResponsePanel } from "./ResponsePanel.tsx";
import { useCall } from "./use-call.ts";
import { useForm } from "./use-form.ts";
import { requestOf } from "./wire/request.ts";

const FIELDS_SHOWN = 6;

// Half of the console's code is for panels that are not shown at first, so it is loaded later.
const WirePanel = later(() => import("./WirePanel.tsx").then((loaded) => loaded.WirePanel), 30);
const ComparePanel = later(() => import("./ComparePanel.tsx").then((loaded) => loaded.ComparePanel), 6);
const SnippetPanel = later(() => import("./SnippetPanel.tsx").then((loaded) => loaded.SnippetPanel), 20);

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The console of `method`, for the account with the id `account`. `onOpen` is called when a link of the history is followed. */
export function MethodConsole({
  account,
  contract,
  method,
  onOpen,
}: {
  readonly account: string;
  readonly contract: Contract;
  readonly method: ConsoleMethod;
  readonly onOpen: () => void;
}) {
  const form = useForm(contract, method);
  const { call, keyProblem, isRunning, send, stop } = useCall();
  const [unsendable, setUnsendable] = useState<readonly FieldFault[]>([]);
  // The fields that were changed since the call was sent: what it says about them is no longer true.
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [history, setHistory] = useState(() => readHistory(sessionStorage, account));
  const { fields, values, input, protocols, protocol, isDryRun, unknown, query, hash } = form;
  const { registry } = contract;
  const purpose = { method, fields, registry, isDryRun };
  const names = fields.map(({ name }) => name);
  const faults = (unsendable.length > 0 ? unsendable : (call?.failure?.faults ?? [])).filter(
    ({ field }) => !changed.some((name) => isAt(field, name)),
  );
  const otherFaults = faults.filter(({ field }) => !names.some((name) => isAt(field, name)));

  // If there are many fields, the required ones and those that already had a value come first.
  const [startedWith] = useState(values);
  const isFirst = ({ name, isRequired }: FormField): boolean =>
    fields.length <= FIELDS_SHOWN || isRequired || Object.keys(startedWith).some((path) => isAt(path, name));
  const first = fields.filter(isFirst);
  const others = fields.filter((field) => !isFirst(field));
  const inputOf = (field: FormField) => (
    <FormInput
      key={field.name}
      field={field}
      path={field.name}
      comment={method.fields[field.name]}
      values={values}
      faults={faults}
      onChange={(path, texts) => {
        setChanged((before) => [...new Set([...before, field.name])]);
        form.setField(path, texts);
      }}
    />
  );

  const fillIn = (): void => {
    setChanged(names);
    form.fillIn();
  };

  const submit = async (): Promise<void> => {
    setChanged([]);
    const built = requestOf(purpose, input, protocol.id);
    // The call would be refused, and may count, so it is only sent if the user asks again.
    const outside = warned.current === values ? [] : outOfRange(fields, values);
    warned.current = values;
    if (outside.length > 0) {
      setUnsendable(
        outside.map((fault) => ({ ...fault, description: `${fault.description}. Press Send again to send it as it is` })),
      );
      return;
    }
    setUnsendable("faults" in built ? built.faults : []);
    // On a narrow screen the results are below the form.
    if ((results.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) {
      results.current?.scrollIntoView({ block: "start" });
    }
    if ("faults" in built) {
      return;
    }
    const state = await send({ method, protocol: protocol.id, request: built.request, registry });
    if (state !== undefined) {
      addToHistory(state);
    }
  };

  const warned = useRef<FormValues>(undefined);
  const element = useRef<HTMLFormElement>(null);
  const results = useRef<HTMLDivElement>(null);
  const canSend = protocol.id !== "grpc" && !isRunning;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      // On a link, these keys open a new tab. In a dialog, they must not send the form behind it.
      const isOurs = !(event.target instanceof HTMLAnchorElement) && document.querySelector("dialog[open]") === null;
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && canSend && isOurs) {
        event.preventDefault();
        element.current?.requestSubmit();
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [canSend]);

  const addToHistory = (state: CallState): void => {
    if (query !== undefined) {
      const { protocol: sentIn, ms, bodyBytes: bytes } = state;
      const what = { slug: method.slug, query, protocol: sentIn, isDryRun };
      const entry = { ...what, outcome: outcomeOf(state), ms, bytes, atMs: Date.now() };
      setHistory((before) => withEntry(sessionStorage, account, before, entry));
    }
  };

  return (
    <div class={styles.console}>
      <fieldset class={styles.protocols}>
        <legend>Protocol</legend>
        {protocols.map(({ id, title }) => (
          <label key={id} class={styles.protocol}>
            <input
              type="radio"
              name="console-protocol"
              value={id}
              checked={id === protocol.id}
              onChange={() => form.setProtocol(id)}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <form
        ref={element}
        class={styles.form}
        // The browser itself must not send the form.
        method="post"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {unknown.length > 0 && (
          <Notice tone="plain">
            The link sets {unknown.join(", ")}, but {method.desc.name} has no such field.
          </Notice>
        )}
        {fields.length === 0 && <p class={styles.hint}>{method.desc.name} takes no parameters.</p>}
        {first.map(inputOf)}
        {others.length > 0 && (
          <details class={styles.more} open={others.some(({ name }) => faults.some(({ field }) => isAt(field, name)))}>
            <summary>
              {others.length} more {others.length === 1 ? "field" : "fields"}
            </summary>
            {others.map(inputOf)}
          </details>
        )}
        {protocol.id === "grpc" && (
          <p class={styles.hint}>
            Browsers cannot send gRPC. You can see its bytes under “On the wire”, and commands that send it under “Snippets”.
          </p>
        )}
        <DryRunBox isDryRun={isDryRun} onChange={form.setDryRun} />
        <KeyLine />
        {query === undefined && (
          <p class={styles.hint}>
            Your input is too long for a URL, or looks like a key. It is not kept in links or history, and is lost when you reload.
          </p>
        )}
        <div class={`${styles.actions} ${styles.send}`}>
          {protocol.id !== "grpc" && (
            <>
              <Button kind="primary" type="submit" isBusy={isRunning}>
                Send
              </Button>
              <kbd class={styles.keys}>{IS_APPLE ? "⌘ Enter" : "Ctrl Enter"}</kbd>
            </>
          )}
          {isRunning && <Button onClick={stop}>Stop</Button>}
          {fields.length > 0 && <Button onClick={fillIn}>Use example</Button>}
          {query !== undefined && (
            <CopyButton
              text={`${location.origin}/app/console/${method.slug}${query}${hash}`}
              label="to this form"
              buttonText="Copy link"
            />
          )}
        </div>
      </form>
      <div class={styles.results} ref={results}>
        {keyProblem !== undefined && (
          <Notice tone="bad">
            <p>{keyProblem.message}</p>
            <p>
              <a href={keyProblem.reason === UNREACHABLE ? "/errors" : `/errors/${keyProblem.reason}`}>{keyProblem.reason}</a>
            </p>
          </Notice>
        )}
        {otherFaults.length > 0 && (
          <Notice tone="bad">{otherFaults.map(({ field, description }) => `${field} ${description}`).join("; ")}</Notice>
        )}
        <Panels
          label="The call"
          panels={[
            {
              title: "Response",
              content: () =>
                call === undefined ? (
                  <RecordedResponse slug={method.slug} isRunning={isRunning} />
                ) : (
                  <ResponsePanel
                    key={call.request.target}
                    call={call}
                    isStream={method.isStream}
                    service={method.slug.split("/")[0] ?? ""}
                  />
                ),
            },
            {
              title: "On the wire",
              preload: WirePanel.preload,
              content: () => (
                <WirePanel
                  call={call?.protocol === protocol.id ? call : undefined}
                  built={requestOf(purpose, input, protocol.id)}
                />
              ),
            },
            {
              title: "Compare",
              preload: ComparePanel.preload,
              content: () => <ComparePanel {...purpose} input={input} onCall={addToHistory} />,
            },
            {
              title: "Snippets",
              preload: SnippetPanel.preload,
              content: () => <SnippetPanel method={method} input={input} isDryRun={isDryRun} />,
            },
            { title: "History", content: () => <HistoryPanel history={history} onOpen={onOpen} /> },
          ]}
        />
      </div>
    </div>
  );
}

const isAt = (path: string, name: string): boolean => path === name || path.startsWith(`${name}[`) || path.startsWith(`${name}.`);
