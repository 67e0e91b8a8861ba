import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf, ref } from '../../schema-types.ts';
import { User } from '../account.ts';

export const PasskeyName = Type.String({ minLength: 1, maxLength: 100 });

export const Passkey = Type.Object(
  {
    id: Type.String(),
    name: PasskeyName,
    isSynced: Type.Boolean({
      description: 'true: it may be on several devices. false: it is bound to one.',
    }),
    isBackedUp: Type.Boolean({ description: 'Whether a copy exists, as its device says.' }),
    host: Type.String({ description: 'The host that it was made for, and works with.' }),
    isUsable: Type.Boolean({ description: 'Whether the dashboard is at that host.' }),
    createdAt: Instant,
    lastUsedAt: Nullable(Instant),
    refusedAt: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When a use was refused because its counter went back: a copy may exist.',
      }),
    ),
  },
  { $id: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;

/** `GET /api/account/factors` */
export const Factors = Type.Object(
  {
    hasPassword: Type.Boolean(),
    isRequired: Type.Boolean({
      description: 'Whether the installation requires a second factor of you.',
    }),
    passkeys: Type.Array(ref(Passkey)),
    noPasskeysBecause: Nullable(
      Type.String({
        description: 'Why browsers make no passkeys for this address; null: they do.',
      }),
    ),
    authenticatorApp: Nullable(Type.Object({ createdAt: Instant, lastUsedAt: Nullable(Instant) })),
    recoveryCodes: Nullable(Type.Object({ left: Type.Integer(), createdAt: Instant })),
    guessedAt: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When somebody who knows your password tried too many wrong codes.',
      }),
    ),
  },
  { $id: 'Factors' },
);
export type Factors = Static<typeof Factors>;

const RecoveryCodeList = Type.Array(Type.String({ examples: ['abcd-efgh-ijkl-mnop'] }), {
  description: 'Each signs in once in place of a second factor. They are shown this once.',
});

/** The first factor of an account brings recovery codes with it. */
export const AddedFactor = Type.Object(
  { recoveryCodes: Nullable(RecoveryCodeList) },
  { $id: 'AddedFactor' },
);
export type AddedFactor = Static<typeof AddedFactor>;

/** The same for whoever had to set one up to sign in. */
export const SetUpAndSignedIn = Type.Object(
  { user: ref(User), recoveryCodes: Nullable(RecoveryCodeList) },
  { $id: 'SetUpAndSignedIn' },
);
export type SetUpAndSignedIn = Static<typeof SetUpAndSignedIn>;

export const RecoveryCodes = Type.Object({ codes: RecoveryCodeList }, { $id: 'RecoveryCodes' });
export type RecoveryCodes = Static<typeof RecoveryCodes>;

/** What an authenticator app is set up with. */
export const AuthenticatorAppDraft = Type.Object(
  {
    secret: Type.String({ description: 'In base32, to be typed.' }),
    uri: Type.String({ description: 'The same for a QR code: `otpauth://totp/…`.' }),
    draft: Type.String({ description: 'To be sent back with the first code.' }),
  },
  { $id: 'AuthenticatorAppDraft' },
);
export type AuthenticatorAppDraft = Static<typeof AuthenticatorAppDraft>;

export const Code = Type.String({ minLength: 6, maxLength: 20, examples: ['123456'] });

export const FirstCode = Type.Object({ draft: Type.String({ maxLength: 1_000 }), code: Code });

/** `GET /api/session/confirmation` */
export const Confirmation = Type.Object(
  {
    ways: Type.Array(OneOf(['password', 'passkey']), {
      description: 'How you can prove that it is you. None, and no provider: sign in again.',
    }),
    providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'Providers that you can prove it to.',
    }),
    confirmedAt: Instant,
  },
  { $id: 'Confirmation' },
);
export type Confirmation = Static<typeof Confirmation>;

/** `GET` and `PUT /api/installation/security` */
export const SecurityPolicy = Type.Object(
  {
    secondFactor: OneOf(['optional', 'owners', 'everyone'], {
      description:
        'Of whom a second factor is required: of nobody, of those who own a project or the installation, or of all.',
    }),
    afterProvider: Type.Boolean({
      description:
        'Whether those who sign in by a provider are asked for a second factor of their account, too.',
    }),
  },
  { $id: 'SecurityPolicy' },
);
export type SecurityPolicy = Static<typeof SecurityPolicy>;

/** Accounts without a second factor of their own, for the installation's owner. */
export const InstallationSecurity = Type.Object(
  {
    ...SecurityPolicy.properties,
    without: Type.Object(
      {
        everyone: Type.Integer(),
        owners: Type.Integer(),
        people: Type.Array(
          Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() }),
          { description: 'The first hundred, by address.' },
        ),
      },
      { description: 'The accounts that have no second factor.' },
    ),
  },
  { $id: 'InstallationSecurity' },
);
export type InstallationSecurity = Static<typeof InstallationSecurity>;
