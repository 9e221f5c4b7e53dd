// A page that a link in an e-mail leads to, and that asks for a password.
import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button, ButtonLink } from "../../../components/ui/Button.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { Heading } from "../../../components/ui/Heading.tsx";
import { NewPasswordField } from "../../NewPasswordField.tsx";
import type { MailedLink } from "./mailed-link.ts";

interface PasswordByLinkProps<Input extends DescMessage> {
  readonly link: MailedLink;
  readonly method: DescMethodUnary<Input>;
  /** The methods whose data is read again afterwards. */
  readonly changes?: readonly DescMethodUnary[];
  /** The method's input. */
  readonly input: (token: string, password: string) => MessageInitShape<Input>;
  readonly title: string;
  readonly lead: string;
  /** The password's input, named like the method's field. */
  readonly field: { readonly label: string; readonly name: string; readonly isNew: boolean };
  /** Shown above the button. */
  readonly note?: ComponentChildren;
  readonly button: string;
  readonly busyButton: string;
  /** Called with the password once it is set, before `done` is shown. */
  readonly onPasswordSet?: (password: string) => Promise<void>;
  /** Shown once the call has succeeded. */
  readonly done: ComponentChildren;
  /** How long a link works: `a day`. */
  readonly linkLifetime: string;
  /** What the user can do if the link does not work. */
  readonly otherwise: ComponentChildren;
}

export function PasswordByLink<Input extends DescMessage>(props: PasswordByLinkProps<Input>) {
  const { method, changes, input, title, lead, field, button, busyButton, done, linkLifetime, otherwise } = props;
  const { token } = props.link;
  const { mutate, isPending, problem } = useMutation(method, changes);
  const [isDone, setIsDone] = useState(false);
  const send = async (values: FormData): Promise<void> => {
    const password = String(values.get(field.name));
    if ((await mutate(input(token ?? "", password))) !== undefined) {
      await props.onPasswordSet?.(password);
      setIsDone(true);
    }
  };
  if (isDone) {
    return done;
  }
  if (token === undefined || problem?.fields.token !== undefined) {
    return (
      <>
        <Heading
          title="This link does not work"
          lead={`A link works once, and expires after ${linkLifetime}. Try opening it from the e-mail again.`}
        />
        {otherwise}
      </>
    );
  }
  const { label, name, isNew } = field;
  const error = problem?.fields[name];
  return (
    <>
      <Heading title={title} lead={lead} />
      <Form problem={problem} names={[name]} onSubmit={(values) => void send(values)}>
        {isNew ? (
          <NewPasswordField label={label} name={name} error={error} />
        ) : (
          <Field label={label} name={name} type="password" autocomplete="current-password" error={error} />
        )}
        {props.note}
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? busyButton : button}
        </Button>
      </Form>
    </>
  );
}

/** Shown once a password has been chosen. */
export const DoneByLink = ({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead: string;
  readonly children?: ComponentChildren;
}) => (
  <>
    <Heading title={title} lead={lead} />
    {children}
    <ButtonLink kind="primary" href="/app/sign-in">
      Sign in
    </ButtonLink>
  </>
);
