/**
 * What secrets look like that tests make, wherever they make them: keys of the API, tokens of the
 * dashboard, and the password of the tests' database server, as it is and as addresses have it.
 */
const SECRETS = [
  /pk_(?:live|test)_[0-9A-Za-z]{38}/,
  /dash_[\w-]{43}/,
  /p@ss\/word/,
  /p%40ss%2Fword/i,
];

/**
 * Throws Error when a secret stands where none may ever stand, such as in a log. `place` is for people.
 * Called on the log of every service and the standard error of every program that any test starts, so that
 * the whole run of the tests is a search for secrets.
 */
export function assertNoSecret(text: string, place: string): void {
  const secret = SECRETS.map((form) => form.exec(text)).find((found) => found !== null);
  if (!secret) return;
  const from = Math.max(0, secret.index - 200);
  throw new Error(`A secret in ${place}: …${text.slice(from, secret.index + 60)}…`);
}
