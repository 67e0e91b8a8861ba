import { hostOf, webAddress } from '@petstore/site/repository/web-address.ts';
import type { Provider, RepositoryAccess } from '../../../server/src/repositories/repository.ts';

/** Whether an address is fetched by ssh. */
const isSsh = (typed: string) => /^ssh:\/\/|^[^/@:]+@[^/:]+:/i.test(typed.trim());

/** How a repository of a typed address is probably reached. */
export const defaultAccess = (typed: string): RepositoryAccess =>
  isSsh(typed) ? 'deploy_key' : 'none';

/**
 * The address that fits the access: a deploy key is for ssh, all else for https. People copy the one that the browser
 * shows. An address that is as it must be stays as it was typed.
 */
export function addressFor(typed: string, access: RepositoryAccess): string {
  const text = typed.trim();
  if (isSsh(text) === (access === 'deploy_key')) return text;
  const web = webAddress(text);
  if (web === undefined) return text;
  const { hostname, pathname } = new URL(web);
  return access === 'deploy_key'
    ? `git@${hostname}:${pathname.slice(1)}.git`
    : `https://${hostname}${pathname}.git`;
}

/** The software of the host, as far as its name tells. */
export function providerOf(typed: string): Provider {
  const web = webAddress(typed);
  return (web && hostOf(web)) || 'other';
}
