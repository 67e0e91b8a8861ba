import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../schema-types.ts';

/** `POST /api/oidc/{provider}/start`: where the browser goes to sign in. */
export const SignInStart = Type.Object(
  { url: Type.String({ description: 'An address of the provider, for the browser.' }) },
  { $id: 'SignInStart' },
);
export type SignInStart = Static<typeof SignInStart>;

/** `GET /api/oidc/pending-link` */
export const OpenLink = Type.Object(
  {
    provider: Type.String({ description: 'The name of the provider, for people.' }),
    email: Type.String({ description: 'The address of the account.' }),
  },
  { $id: 'OpenLink' },
);
export type OpenLink = Static<typeof OpenLink>;

/** An account at a provider with which a user signs in. */
export const Identity = Type.Object(
  {
    id: Type.String(),
    provider: Type.String({ description: 'The id of the provider.' }),
    providerName: Type.String({ description: 'Its name for people.' }),
    email: Nullable(Type.String({ description: 'The address there, when it was used last.' })),
    createdAt: Instant,
    lastUsedAt: Nullable(Instant),
  },
  { $id: 'Identity' },
);
export type Identity = Static<typeof Identity>;

const Address = (description: string) => Type.String({ description });

/** An account whose tokens go on although it has to sign in with a provider. */
const TokenHolder = Type.Object({
  userId: Type.String(),
  email: Type.String(),
  name: Type.String(),
  tokens: Type.Integer({ description: 'How many API tokens it has that have not ended.' }),
  lastUsedAt: Nullable(Instant),
  signedInAt: Nullable(Instant),
});

/** A provider as the installation's owner sees it. `GET /api/installation/sign-in` */
export const SignInProvider = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    issuer: Type.String(),
    clientId: Type.String(),
    scopes: Type.String(),
    groupsClaim: Nullable(Type.String()),
    emailDomains: Type.Array(Type.String()),
    required: OneOf(['no', 'domains', 'everyone']),
    state: OneOf(['ready', 'failing', 'unknown'], {
      description:
        'ready: its configuration was read, and nothing has failed since. failing: something did. unknown: it was not asked yet.',
    }),
    discoveredAt: Nullable(Instant),
    failedAt: Nullable(Instant),
    failure: Nullable(Type.String({ description: 'What failed last, in a sentence.' })),
    endsSessions: Nullable(
      Type.Boolean({ description: 'Whether people can sign out there, too; null: not known.' }),
    ),
    people: Type.Integer({ description: 'How many accounts are linked with it.' }),
    tokenHolders: Type.Array(TokenHolder, {
      description:
        'Accounts that have to sign in with it and have API tokens, which go on without it: those first who never signed in with it, or longest ago (`signedInAt`), 100 at most.',
    }),
    redirectUrl: Address('To enter at the provider: where it sends people back.'),
    backchannelLogoutUrl: Address('To enter there: where it tells that someone has signed out.'),
    signedOutUrl: Address('To enter there: where people come back after they sign out.'),
    signInUrl: Address('To enter there: a link that signs in with this provider.'),
  },
  { $id: 'SignInProvider' },
);
export type SignInProvider = Static<typeof SignInProvider>;

/** `DELETE /api/session` of whoever signed in with a provider that can be signed out of, too. */
export const SignedOut = Type.Object(
  {
    provider: Type.String({ description: 'The name of the provider, for people.' }),
    url: Type.String({ description: 'Where the browser goes to sign out there, too.' }),
  },
  { $id: 'SignedOut' },
);
export type SignedOut = Static<typeof SignedOut>;
