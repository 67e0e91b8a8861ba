/** The longest name of a branch that is read, in bytes: a file system has no room for longer parts anyway. */
const MAX_BYTES = 250;

/** What git-check-ref-format(1) forbids in a name: control characters, spaces, and what means something to git. */
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|(?:^|\/)\.|\.lock(?:\/|$)/;

/** Whether a text may be a branch's name, by git's own rules. Such a name is no pattern and has no line break. */
export function isBranchName(name: string): boolean {
  return (
    name !== '' && name !== '@' && !FORBIDDEN.test(name) && Buffer.byteLength(name) <= MAX_BYTES
  );
}
