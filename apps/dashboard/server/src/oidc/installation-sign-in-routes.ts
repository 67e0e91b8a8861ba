import { Type } from '@petstore/service/schema-builders.ts';
import type { Deps } from '../deps.ts';
import { singlePage } from '../http/pagination.ts';
import { jsonResponse, operationsOf, pageResponse, type Routes } from '../http/routes.ts';
import { instantOrNull } from '../schema-types.ts';
import { countIdentities } from '../store/identities.ts';
import { listOidcStates } from '../store/oidc-states.ts';
import { addressesFor } from './addresses.ts';
import { providerOf } from './oidc-routes.ts';
import type { Provider } from './providers.ts';
import { SignInProvider } from './sign-in.ts';
import { readTokenHolders } from './token-holders.ts';

const operation = operationsOf('Installation');

/** The providers of the installation, for its owner. The operator sets them in the environment. */
export const installationSignInRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/installation/sign-in',
    operation('installation', 'listSignInProviders', 'The providers that people sign in with', {
      response: pageResponse(SignInProvider),
    }),
    async () => singlePage(await present(deps, deps.providers.all)),
  );

  app.post(
    '/installation/sign-in/:provider/check',
    operation('installation', 'checkSignInProvider', "Read a provider's configuration now", {
      params: Type.Object({ provider: Type.String() }),
      response: jsonResponse(200, SignInProvider),
    }),
    async (request) => {
      const provider = providerOf(deps, request.params.provider);
      // What fails is in its state.
      await provider.discoverNow().catch(() => {});
      const [presented] = await present(deps, [provider]);
      if (!presented) throw new Error('a provider was not presented');
      return presented;
    },
  );
};

async function present(deps: Deps, providers: readonly Provider[]): Promise<SignInProvider[]> {
  const tokenHolders = await readTokenHolders(deps, providers);
  const states = new Map((await listOidcStates(deps.db)).map((row) => [row.provider, row]));
  const people = await countIdentities(deps.db);
  return providers.map(({ config, known }) => {
    const { id, name, issuer, clientId, scopes, groupsClaim, emailDomains, required } = config;
    const state = states.get(id);
    const urls = addressesFor(deps, id);
    return {
      ...{ id, name, issuer, clientId, scopes, required, emailDomains: [...emailDomains] },
      groupsClaim: groupsClaim ?? null,
      state: state?.failure ? 'failing' : state?.discovered_at ? 'ready' : 'unknown',
      discoveredAt: instantOrNull(state?.discovered_at ?? null),
      failedAt: instantOrNull(state?.failed_at ?? null),
      failure: state?.failure ?? null,
      endsSessions: known()?.endsSessions ?? null,
      people: people.get(id) ?? 0,
      tokenHolders: tokenHolders.get(id) ?? [],
      redirectUrl: urls.redirect,
      backchannelLogoutUrl: urls.backchannelLogout,
      signedOutUrl: urls.signedOut,
      signInUrl: urls.signIn,
    };
  });
}
