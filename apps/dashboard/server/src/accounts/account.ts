import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf, ref } from '../schema-types.ts';
import { DEFAULT_SCOPES, SCOPE_NAMES, SCOPES } from './permissions.ts';

const Email = Type.String({ minLength: 3, maxLength: 254, description: 'An e-mail address.' });

/** How long a password may be, in characters. */
export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 200;

const Password = Type.String({
  description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
});
export const PersonName = Type.String({ minLength: 1, maxLength: 100 });

export const User = Type.Object(
  {
    id: Type.String(),
    email: Email,
    name: PersonName,
    isInstallationOwner: Type.Boolean({
      description: 'Sets plans, and has the rights of an owner in every project.',
    }),
    isProvisional: Type.Boolean({
      description: 'A first start made it: the address is nobody’s, and the password was printed.',
    }),
    hasPassword: Type.Boolean(),
    createdAt: Instant,
  },
  { $id: 'User' },
);
export type User = Static<typeof User>;

/** What a browser is asked for that has proved one thing of two. It has no session. */
export const PendingSignIn = Type.Object(
  {
    next: OneOf(['second_factor', 'set_up'], {
      description:
        'second_factor: one of `ways` is asked for. set_up: the installation requires a second factor, and the account has none; it is set up now.',
    }),
    ways: Type.Array(OneOf(['passkey', 'code', 'recovery_code']), {
      description: 'What the account has. A passkey of another host is not among them.',
    }),
    email: Email,
    passkeys: Type.Boolean({ description: 'Whether browsers can make passkeys for this address.' }),
    expiresAt: Instant,
  },
  { $id: 'PendingSignIn' },
);
export type PendingSignIn = Static<typeof PendingSignIn>;

/** `GET /api/visitor` */
export const Visitor = Type.Object(
  { user: Nullable(ref(User)), pending: Nullable(ref(PendingSignIn)) },
  { $id: 'Visitor' },
);
export type Visitor = Static<typeof Visitor>;

/** `POST /api/session` */
export const Credentials = Type.Object({
  email: Email,
  password: Type.String({ maxLength: 1_000 }),
});

/** `POST /api/sign-up`: 202 whether or not the address has an account; then sign in. */
export const SignUp = Type.Object({
  email: Email,
  password: Password,
  name: PersonName,
  invitation: Type.Optional(Type.String({ description: 'The secret in an invitation link.' })),
});

/** `POST /api/account/password` */
export const PasswordChange = Type.Object({
  current: Type.String({ maxLength: 1_000 }),
  next: Password,
  revokeTokens: Type.Optional(
    Type.Boolean({
      description: 'true: revokes your API tokens, too; without it they go on working.',
    }),
  ),
});

/** `POST /api/account/email` */
export const NewEmail = Type.Object({
  email: Email,
  password: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Your password, if your account has one.' }),
  ),
});

/** The address that an account is to have, while its owner has not confirmed it. */
export const EmailChange = Type.Object(
  {
    pending: Nullable(
      Type.Object(
        { email: Email, expiresAt: Instant },
        {
          description: 'The address that a link was mailed to, and when that ends; null: none.',
        },
      ),
    ),
    user: ref(User),
  },
  { $id: 'EmailChange' },
);
export type EmailChange = Static<typeof EmailChange>;

const LinkSecret = Type.String({
  maxLength: 200,
  description: 'The secret in a link: what follows the `#`.',
});

/** The body of what a link of an account does. */
export const LinkUse = Type.Object({ secret: LinkSecret });

/** `POST /api/account-links/look-up` */
export const AccountLink = Type.Object(
  { kind: OneOf(['email', 'password', 'sign_in']), email: Email, expiresAt: Instant },
  { $id: 'AccountLink' },
);
export type AccountLink = Static<typeof AccountLink>;

/** `POST /api/account-links/password` */
export const PasswordReset = Type.Object({
  secret: LinkSecret,
  password: Password,
  revokeTokens: Type.Optional(
    Type.Boolean({
      description: 'true: revokes the API tokens, too; without it they go on working.',
    }),
  ),
});

/** `POST /api/forgotten-password` */
export const ForgottenPassword = Type.Object({ email: Email });

/** A link by which someone else sets a password, where it is not mailed. */
export const PasswordLink = Type.Object(
  {
    link: Nullable(Type.String({ description: 'Shown this once; null where it was mailed.' })),
    mailed: Type.Boolean(),
    mailError: Nullable(
      Type.String({ description: 'Why it could not be mailed; null where nobody tried.' }),
    ),
    expiresAt: Instant,
  },
  { $id: 'PasswordLink' },
);
export type PasswordLink = Static<typeof PasswordLink>;

/** `POST /api/account/claim` */
export const OwnAccount = Type.Object({ email: Email, name: PersonName, password: Password });

export const Session = Type.Object(
  {
    id: Type.String(),
    isCurrent: Type.Boolean(),
    createdAt: Instant,
    lastSeenAt: Instant,
    expiresAt: Instant,
    ip: Type.String(),
    userAgent: Type.String(),
    method: Type.String({
      description:
        'How it began: `password`, `passkey` or `provider:NAME`, and after a `+` the second factor: `code`, `recovery_code` or `passkey`.',
      examples: ['password+code'],
    }),
  },
  { $id: 'Session' },
);
export type Session = Static<typeof Session>;

const SCOPE_GUIDE = SCOPE_NAMES.map((name) => `\`${name}\`: ${SCOPES[name]}`).join(' ');
const Scopes = (description: string) =>
  Type.Array(OneOf(SCOPE_NAMES), { description: `${description} ${SCOPE_GUIDE}` });

export const NewToken = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  project: Type.Optional(
    Nullable(Type.String({ description: 'Slug; without it, all projects of the user.' })),
  ),
  scopes: Type.Optional(
    Scopes(
      `What the token may be used for; \`read\` comes with every one. Without this: ${DEFAULT_SCOPES.join(' and ')}.`,
    ),
  ),
  expiresInDays: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 3_650 }))),
});

export const ApiToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    project: Nullable(
      Type.String({ description: 'Slug of the one project it is good for; null for all.' }),
    ),
    scopes: Scopes('What the token may be used for.'),
    owner: Type.String({ description: 'The e-mail address of the user whose rights it has.' }),
    createdAt: Instant,
    expiresAt: Nullable(Instant),
    lastUsedAt: Nullable(Instant),
    revokedAt: Nullable(Instant),
  },
  { $id: 'ApiToken' },
);
export type ApiToken = Static<typeof ApiToken>;

/** The body of the 201 from `POST …/tokens`: the token itself is shown this once. */
export const CreatedToken = Type.Object(
  { ...ApiToken.properties, token: Type.String() },
  { $id: 'CreatedToken' },
);
export type CreatedToken = Static<typeof CreatedToken>;

/** `GET /api/installation`, without signing in. */
export const Installation = Type.Object(
  {
    version: Type.String(),
    signUp: OneOf(['first', 'on_server', 'invitation', 'open'], {
      description:
        'first: nobody has an account yet, and the first to sign up owns the installation. on_server: the same, and the first account is made on the server itself.',
    }),
    providers: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
      }),
      { description: 'With which people sign in, by OpenID Connect.' },
    ),
    passwords: Type.Boolean({
      description:
        'Whether anyone can sign in with a password: not where a provider is required of everyone.',
    }),
    platformHost: Type.String({ description: 'Sites are at SLUG.HOST.' }),
    siteUrlTemplate: Type.String({ description: 'Where a project will be, with {slug} in it.' }),
    mail: Type.Boolean({ description: 'Whether a mail server is configured.' }),
    requestProxy: Type.Boolean({
      description: "Whether owners may switch on the request proxy of their projects' sites.",
    }),
    prepare: Type.Boolean({
      description:
        'Whether domains can be prepared for a move: the installation has a DNS zone in which they are proven.',
    }),
    uploadLimits: Type.Object(
      {
        bytes: Type.Integer({ description: 'Of a document, or of an archive as it is packed.' }),
        unpackedBytes: Type.Integer({ description: 'Of an archive unpacked.' }),
        files: Type.Integer({ description: 'In an archive.' }),
      },
      { description: 'What a deploy may bring.' },
    ),
  },
  { $id: 'Installation' },
);
export type Installation = Static<typeof Installation>;
