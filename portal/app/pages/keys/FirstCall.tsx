// A first call with a new key, in the language that the user last chose, and whether it has arrived.
import { useState } from "preact/hooks";
import type { Key } from "../../../../gen/quintet/account/v1/key_pb.js";
import { UsageService } from "../../../../gen/quintet/account/v1/usage_pb.js";
import type { ServiceName } from "../../../../src/catalogue/service-names.ts";
import { chosenLanguage, rememberLanguage } from "../../../api/chosen-language.ts";
import { useQuery } from "../../../api/use-query.ts";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { SelectField } from "../../../components/ui/Field.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { FIRST_CALLS } from "../../../content/first-calls.ts";
import { programSnippets } from "../../../content/snippets/programs.ts";
import { shellSnippets } from "../../../content/snippets/shell.ts";
import { curlOf } from "../../first-call.ts";
import { serviceTitle } from "../../formats.ts";
import styles from "./FirstCall.module.css";

const CALLS_OPTIONS = { refetchInterval: 2000 };
const NO_INTERVAL = {};

interface FirstCallProps {
  readonly apiKey: Key;
  readonly secret: string;
  readonly service: ServiceName;
}

export function FirstCall({ apiKey, secret, service }: FirstCallProps) {
  const call = { ...FIRST_CALLS[service], server: location.origin };
  const [rest, ...shell] = shellSnippets(call);
  // With the key in it, so that it can be pasted as it is.
  const snippets = [
    ...(rest === undefined ? [] : [{ ...rest, code: curlOf(service, secret) }]),
    ...shell,
    ...programSnippets(call),
  ];
  const [language, setLanguage] = useState(chosenLanguage);
  const [isCopied, setCopied] = useState(false);
  const shown = snippets.find(({ title }) => title === language) ?? snippets[0];
  return (
    <>
      <SelectField
        label={`Try ${serviceTitle(service)}`}
        name="language"
        value={shown?.title ?? ""}
        options={snippets.map(({ title }) => [title, title === "REST" ? "REST (curl)" : title] as const)}
        onChange={(title) => {
          rememberLanguage(title);
          setLanguage(title);
          setCopied(false);
        }}
      />
      {shown !== undefined && shown !== snippets[0] && (
        <CopyBlock code={`export KEY='${secret}'`} label="the variable" language="bash" />
      )}
      {shown !== undefined && (
        <CopyBlock code={shown.code} label="the command" language={shown.language} onCopied={() => setCopied(true)} />
      )}
      <Steps apiKey={apiKey} isCopied={isCopied} />
    </>
  );
}

// Reads the log until a call with the key is in it that was answered.
function Steps({ apiKey, isCopied }: { readonly apiKey: Key; readonly isCopied: boolean }) {
  const [hasWorked, setHasWorked] = useState(false);
  const { data } = useQuery(
    UsageService.method.listCalls,
    { keyId: apiKey.id, pageSize: 1 },
    hasWorked ? NO_INTERVAL : CALLS_OPTIONS,
  );
  const [last] = data?.results ?? [];
  const isAnswered = last !== undefined && !last.open && (last.httpStatus ?? 0) < 400;
  if (isAnswered && !hasWorked) {
    setHasWorked(true);
  }
  return (
    <>
      <div role="status">
        <ul class={styles.steps}>
          <li data-done={isCopied || hasWorked || undefined}>Copied</li>
          <li data-done={hasWorked || undefined}>
            {hasWorked ? "It worked: your first call has arrived." : "Waiting for your call"}
          </li>
        </ul>
      </div>
      {!hasWorked && last !== undefined && !last.open && (
        <Notice tone="bad">
          Your call arrived, and failed with {last.httpStatus ?? last.code} <code>{last.outcome}</code>.
        </Notice>
      )}
    </>
  );
}
