import { requiredProviders } from '../accounts/sign-in-rules.ts';
import type { Deps } from '../deps.ts';
import { instantOrNull } from '../schema-types.ts';
import { listProviderSignIns } from '../store/identities.ts';
import { listTokenHolders } from '../store/tokens.ts';
import type { Provider } from './providers.ts';
import type { SignInProvider } from './sign-in.ts';

/** The accounts that one looks at first, as many as anybody scrolls through. */
const MAX_TOKEN_HOLDERS = 100;

/** Whoever has to sign in with a provider, and whose programs do not. */
export async function readTokenHolders(
  { db, config, now }: Pick<Deps, 'db' | 'config' | 'now'>,
  providers: readonly Provider[],
): Promise<Map<string, SignInProvider['tokenHolders']>> {
  const required = providers.filter((provider) => provider.config.required !== 'no');
  if (required.length === 0) return new Map();
  const all = await listTokenHolders(db, now());
  const signedIn = await listProviderSignIns(db);
  return new Map(
    required.map(({ config: { id } }) => {
      const concerned = all.filter(({ email }) =>
        requiredProviders(config, email).some((provider) => provider.id === id),
      );
      const holders = concerned.map((holder) => ({
        ...holder,
        signedInAt: signedIn.get(`${id} ${holder.id}`) ?? null,
      }));
      holders.sort((one, other) => (one.signedInAt ?? 0) - (other.signedInAt ?? 0));
      const shown = holders.slice(0, MAX_TOKEN_HOLDERS);
      return [
        id,
        shown.map(({ id: userId, email, name, tokens, last_used_at, signedInAt }) => ({
          ...{ userId, email, name, tokens: Number(tokens) },
          lastUsedAt: instantOrNull(last_used_at),
          signedInAt: instantOrNull(signedInAt),
        })),
      ];
    }),
  );
}
