import type { ApiToken } from '../../../server/src/accounts/account.ts';
import { path } from '../api.ts';
import { list } from './get.ts';
import { keys } from './keys.ts';

const isNotRevoked = ({ revokedAt }: ApiToken) => revokedAt === null;

/** Without revoked ones. */
export const accountTokensQuery = list(keys.accountTokens, '/account/tokens', isNotRevoked);

export const tokensQuery = (slug: string) =>
  list([...keys.project(slug), 'tokens'], path`/projects/${slug}/tokens`, isNotRevoked);
