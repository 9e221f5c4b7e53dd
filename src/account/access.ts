// Says which methods of the account services are public, and which need a session.
import type { DescMethod } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";

const PUBLIC_METHODS: ReadonlySet<string> = new Set([AccountService.method.listPlans.name]);

/** Whether the method belongs to AccountService and can be called without a session. */
export const isPublic = ({ parent, name }: DescMethod): boolean =>
  parent.typeName === AccountService.typeName && PUBLIC_METHODS.has(name);

/** Whether a method of the account services needs a session. All do but those that begin one and those that are public. */
export const needsSession = (method: DescMethod): boolean => method.parent.typeName !== SignInService.typeName && !isPublic(method);
