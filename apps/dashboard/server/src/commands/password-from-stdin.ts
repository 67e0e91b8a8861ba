import { text } from 'node:stream/consumers';
import { UserError } from '@petstore/service/user-error.ts';

/** All of standard input without a last line break. Throws UserError where a person would have to type it. */
export async function passwordFromStdin(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new UserError(
      '--password-stdin reads the password from a pipe or a file, so that it stays out of the list of processes: … < password.txt',
    );
  }
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
