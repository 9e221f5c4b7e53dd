// The list of the account services' methods, and the roles that they state in the proto.
import { describe, expect, test } from "vitest";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { UsageService } from "../../gen/quintet/account/v1/usage_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import { ACCOUNT_METHODS, roleOf } from "../../src/account/account-methods.ts";

describe("the role that a method needs", () => {
  test("is stated by every method that needs a customer's session, and by no other", () => {
    const withRole = [...ACCOUNT_METHODS.values()].filter(({ role }) => role !== undefined);
    const ofCustomers = [...ACCOUNT_METHODS.values()].filter(({ access }) => access === "session");
    expect(withRole).toEqual(ofCustomers);
    expect(ofCustomers.length).toBeGreaterThan(40);
  });

  test("is reported if a new method lacks one, or if a method states one without a need", () => {
    expect(() => roleOf(SignInService.method.signIn, "session")).toThrow(
      "quintet.account.v1.SignInService/SignIn states no role; set (quintet.options.v1.role)",
    );
    expect(() => roleOf(OperatorService.method.getUsage, "session")).toThrow("states no role");
    expect(() => roleOf(UsageService.method.getUsage, "public")).toThrow("states a role, but needs no customer's session");
  });

  test("is never less than owner for what costs money or lets others in, and own for what is personal", () => {
    const named = (role: string) =>
      [...ACCOUNT_METHODS.values()].filter((method) => method.role === role).map(({ desc }) => desc.name);
    expect(named("owner")).toEqual(
      expect.arrayContaining(["SetSubscription", "CancelSubscription", "InviteMember", "ChangeMemberRole"]),
    );
    expect(named("self")).toEqual(
      expect.arrayContaining(["ChangePassword", "DeleteAccount", "EndSessions", "EndTwoFactor", "GetProfile", "SendVerification"]),
    );
    // Whoever is no owner may remove only themselves.
    expect(named("reader").filter((name) => !/^(?:List|Get|Watch)/.test(name))).toEqual(["RemoveMember"]);
  });
});
