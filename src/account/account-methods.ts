// The methods of the account services, and what each requires from its caller. This is the only list: everything that serves, documents or
// reports on them reads it.
import { type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { BillingService } from "../../gen/quintet/account/v1/billing_pb.js";
import { KeyService } from "../../gen/quintet/account/v1/key_pb.js";
import { MemberService } from "../../gen/quintet/account/v1/member_pb.js";
import { ProfileService } from "../../gen/quintet/account/v1/profile_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { StatusService } from "../../gen/quintet/account/v1/status_pb.js";
import { UsageService } from "../../gen/quintet/account/v1/usage_pb.js";
import { WebhookService } from "../../gen/quintet/account/v1/webhook_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import { Role, role } from "../../gen/quintet/options/v1/options_pb.js";
import type { Access } from "../problem/reason-rule.ts";
import type { MemberRole } from "../store/owner-records.ts";

/** A method, and what it does to a session. */
export interface AccountMethod {
  readonly desc: DescMethod;
  /** `quintet.account.v1.UsageService/GetUsage` */
  readonly fullName: string;
  readonly access: Exclude<Access, "key">;
  /**
   * The role that the caller needs in the account. `self`: the method works only on the caller's own account. Undefined if the method does
   * not need a customer's session.
   */
  readonly role: MemberRole | "self" | undefined;
  /** Whether it begins a session, or may end the caller's. */
  readonly session?: "begins" | "ends" | undefined;
}

// The services in display order, each with what its methods need.
const SERVICES: readonly (readonly [DescService, AccountMethod["access"]])[] = [
  [SignInService, "nothing"],
  [AccountService, "session"],
  [BillingService, "session"],
  [KeyService, "session"],
  [UsageService, "session"],
  [WebhookService, "session"],
  [MemberService, "session"],
  [ProfileService, "session"],
  [StatusService, "public"],
  [OperatorService, "operator"],
];

const { getAccount } = AccountService.method;
const { endSessions, deleteAccount } = ProfileService.method;
const { signUp, signIn } = SignInService.method;

// The owner of a suspended account can still call these, to see that it is suspended and to sign out, here or elsewhere.
const METHODS_WHILE_SUSPENDED: ReadonlySet<DescMethod> = new Set([getAccount, endSessions]);

const SESSION_CHANGES: ReadonlyMap<DescMethod, AccountMethod["session"]> = new Map<DescMethod, AccountMethod["session"]>([
  [signUp, "begins"],
  [signIn, "begins"],
  [endSessions, "ends"],
  [deleteAccount, "ends"],
]);

const ROLES: ReadonlyMap<Role, MemberRole | "self"> = new Map([
  [Role.SELF, "self"],
  [Role.READER, "reader"],
  [Role.DEVELOPER, "developer"],
  [Role.OWNER, "owner"],
]);

/**
 * The role that a method declares in the proto. Throws if it needs a customer's session but states no role, or states a role without
 * needing one.
 */
export function roleOf(desc: DescMethod, access: AccountMethod["access"]): AccountMethod["role"] {
  const stated = ROLES.get(getOption(desc, role));
  if ((stated !== undefined) !== (access === "session")) {
    const fault =
      access === "session" ? "states no role; set (quintet.options.v1.role)" : "states a role, but needs no customer's session";
    throw new Error(`${desc.parent.typeName}/${desc.name} ${fault}`);
  }
  return stated;
}

/** The services, in display order. */
export const ACCOUNT_SERVICES: readonly DescService[] = SERVICES.map(([service]) => service);

/** Full name of a service → what its methods need. */
export const ACCOUNT_SERVICE_ACCESS: ReadonlyMap<string, AccountMethod["access"]> = new Map(
  SERVICES.map(([{ typeName }, access]) => [typeName, access]),
);

/** Full name → method. */
export const ACCOUNT_METHODS: ReadonlyMap<string, AccountMethod> = new Map(
  SERVICES.flatMap(([{ typeName, methods }, access]) =>
    methods.map((desc) => {
      const fullName = `${typeName}/${desc.name}`;
      return [fullName, { desc, fullName, access, role: roleOf(desc, access), session: SESSION_CHANGES.get(desc) }];
    }),
  ),
);

/** The method with this full name or descriptor. Throws if no account service has it. */
export function accountMethodOf(name: string | DescMethod): AccountMethod {
  const fullName = typeof name === "string" ? name : `${name.parent.typeName}/${name.name}`;
  const method = ACCOUNT_METHODS.get(fullName);
  if (method === undefined) {
    throw new Error(`No account service has the method ${fullName}`);
  }
  return method;
}

/** Whether the method needs a customer's or an operator's session. */
export const needsSession = ({ access }: AccountMethod): boolean => access === "session" || access === "operator";

/** Whether the sessions of a suspended account may call the method. */
export const isAllowedWhileSuspended = ({ desc }: AccountMethod): boolean => METHODS_WHILE_SUSPENDED.has(desc);
