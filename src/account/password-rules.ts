// Which passwords are refused although they are long enough: those that an attacker tries first. Passwords are compared without capital letters,
// blanks and punctuation, and with each letter in one form.

import { Failure } from "../problem/failure.ts";
import { invalidArgument } from "../problem/problem.ts";

/** The password of the sandbox's accounts, which it prints. Nobody signs in with it anywhere else. */
export const SANDBOX_PASSWORD = "quintet sandbox";

/** Whether this is the sandbox's password, in whatever form its letters are typed in. */
export const isSandboxPassword = (password: string): boolean => password.normalize("NFKC") === SANDBOX_PASSWORD;

// The most frequent passwords of 12 characters and more in published lists, besides patterns: words put together, and neighbouring keys. Digits
// and punctuation at the end are left out, because those are what people add.
const COMMON = new Set(
  `password passw0rd p4ssword p4ssw0rd pa55word pa55w0rd passwort motdepasse contrasena senha
  passwordpassword mypassword yourpassword newpassword oldpassword thepassword thisismypassword password1password defaultpassword
  temporarypassword temppassword changeme changemenow changeit changethis pleasechangeme letmein letmeinnow letmeinplease welcome welcomeback
  welcomehome administrator admin adminadmin admin123admin adminpassword superadmin rootroot rootpassword superuser guestguest testtest
  testtesttest testpassword testing testaccount useruser username
  qwerty qwertyuiop qwertyuiopasdf qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm asdfghjkl asdfghjklqwerty zxcvbnm zxcvbnmasdfghjkl
  qwertyqwerty qwertyasdfgh qwertyazerty azertyuiop qwertzuiop 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx 1qaz2wsx3edc
  1qaz2wsx3edc4rfv qazwsxedc qazwsxedcrfv qazwsxedcrfvtgb q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 q1w2e3r4t5y6u7i8o9p0 zaq12wsx zaq12wsxcde3
  1234qwerasdf 1234qwerasdfzxcv qwer1234asdf qweasdzxc qweasdzxc123qweasdzxc abcd1234abcd aa123456aa a1b2c3d4e5f6 a1b2c3d4 1a2b3c4d5e6f
  abc123abc123 abc123def456 qwerty123qwerty 123qweasdzxc 123qwe123qwe
  iloveyou iloveyousomuch iloveyoubaby iloveyouforever iloveme ilovemyself ilovemyfamily ilovejesus jesuschrist jesuslovesme ihateyou
  princess sunshine superman batmanbatman spiderman starwars pokemonpokemon dragondragon monkeymonkey shadowshadow mastermaster
  footballfootball football baseball basketball liverpool manchesterunited realmadrid barcelona arsenalfc chelseafc liverpoolfc
  michaeljackson chocolate butterfly hellohello helloworld hellokitty trustno1trustno1 trustno1 whateverwhatever whatever
  computercomputer internet samsungsamsung googlegoogle facebookfacebook unknownunknown secretsecret topsecret nothingnothing
  correcthorsebatterystaple opensesame ncc1701ncc1701 blink182blink182 fuckyoufuckyou fuckyou godisgood godislove blessedblessed
  thequickbrownfox thequickbrownfoxjumpsoverthelazydog loremipsum loremipsumdolor abcdefghijklmnopqrstuvwxyz
  januaryjanuary summersummer wintertime springtime quintet quintetpassword quintetquintet quintetsandbox`.split(/\s+/),
);

// Rows of keys and letters. They are read in both directions, and from the end on to the beginning.
const ROWS = ["abcdefghijklmnopqrstuvwxyz", "0123456789", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop"];
const REPEATED = /^(.{1,4})\1+$/su;

/** Throws a Failure about the field when somebody who knows the owner's e-mail address can easily guess the password. */
export function requireGoodPassword(field: string, password: string, email: string): void {
  const description = whatIsWrong(password, email);
  if (description !== undefined) {
    throw new Failure(invalidArgument([{ field, description }]));
  }
}

function whatIsWrong(password: string, email: string): string | undefined {
  if (/^[\p{Z}\p{C}\s]*$/u.test(password)) {
    return "must not be blank";
  }
  const text = plain(password);
  const address = plain(email);
  const local = plain(email.slice(0, email.lastIndexOf("@")));
  if (text === address || text === local || (local !== "" && isRepeated(text, local))) {
    return "must not be the e-mail address, or what stands before its @";
  }
  return isCommon(text)
    ? "is one of the most common passwords, or a plain pattern; several words that have nothing to do with each other make a good one"
    : undefined;
}

const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\p{Z}\p{C}\s]+/gu, "");

const isRepeated = (text: string, unit: string): boolean =>
  text.length % unit.length === 0 && unit.repeat(text.length / unit.length) === text;

function isCommon(text: string): boolean {
  const core = text.replace(/^[\p{P}\p{S}]+|[\d\p{P}\p{S}]+$/gu, "");
  return COMMON.has(text) || COMMON.has(core) || REPEATED.test(text) || ROWS.some((row) => isAlong(row, text));
}

// Whether the text follows the row from anywhere in it, going on from its end to its beginning.
function isAlong(row: string, text: string): boolean {
  const round = row.repeat(Math.ceil(text.length / row.length) + 1);
  return round.includes(text) || [...round].reverse().join("").includes(text);
}
