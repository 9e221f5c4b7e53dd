// Says which methods of the account services are public, which need a session, and whose.
import type { DescMethod } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";

const PUBLIC_METHODS: ReadonlySet<string> = new Set([AccountService.method.listPlans.name]);

/** Whether the method belongs to AccountService and can be called without a session. */
export const isPublic = ({ parent, name }: DescMethod): boolean =>
  parent.typeName === AccountService.typeName && PUBLIC_METHODS.has(name);

/** Whether only operators may call the method. */
export const isForOperators = ({ parent }: DescMethod): boolean => parent.typeName === OperatorService.typeName;

// By these the owner of a suspended account finds out, and leaves.
const WHILE_SUSPENDED: ReadonlySet<string> = new Set([AccountService.method.getAccount.name, AccountService.method.signOut.name]);

/** Whether the sessions of a suspended account may call the method. */
export const isForSuspended = ({ parent, name }: DescMethod): boolean =>
  parent.typeName === AccountService.typeName && WHILE_SUSPENDED.has(name);

/** Whether a method of the account services needs a session. All do but those that begin one and those that are public. */
export const needsSession = (method: DescMethod): boolean => method.parent.typeName !== SignInService.typeName && !isPublic(method);
