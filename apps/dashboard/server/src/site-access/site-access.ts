import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { MAX_PASSWORD_LENGTH } from '../accounts/account.ts';
import { SIGNING_ALGORITHMS } from '../edge/access/site-access.ts';
import { PrivatePart } from '../projects/project.ts';
import { Instant, Nullable, OneOf, ref } from '../schema-types.ts';

/** It is told over the phone and kept for long, and a whole company guesses together. */
export const MIN_SITE_PASSWORD_LENGTH = 10;

const Group = Type.Object({ id: Type.String(), name: Type.String() });

/** A public key by which links and tokens of readers are signed. */
export const SiteKey = Type.Object(
  {
    id: Type.String(),
    kid: Type.String({ description: 'The `kid` in the header of what is signed with it.' }),
    algorithm: OneOf([...SIGNING_ALGORITHMS]),
    createdAt: Instant,
    createdBy: Type.String(),
  },
  { $id: 'SiteKey' },
);
export type SiteKey = Static<typeof SiteKey>;

export const SiteAccess = Type.Object(
  {
    private: PrivatePart,
    password: Nullable(
      Type.Object({ setAt: Instant }, { description: 'The shared password; null: there is none.' }),
    ),
    everyone: Type.Boolean({
      description:
        'Everyone with an account may read. Members of the project always may, and the owner of the installation.',
    }),
    groups: Type.Array(Group, { description: 'Groups whose members may read.' }),
    allGroups: Type.Array(Group, {
      description:
        'Those that may read, and those to choose from; for owners. Where anybody may sign up, the groups that you are in.',
    }),
    keys: Type.Array(ref(SiteKey)),
    sessions: Type.Integer({
      description: 'How many readers are signed in, on each host by themselves.',
    }),
    audience: Type.String({
      description: 'The `aud` of what is signed for the site: its origin. Other hosts have theirs.',
    }),
  },
  { $id: 'SiteAccess' },
);
export type SiteAccess = Static<typeof SiteAccess>;

/** `PATCH /api/projects/{slug}/access` */
export const SiteAccessChange = Type.Object({
  private: Type.Optional(PrivatePart),
  everyone: Type.Optional(Type.Boolean()),
  groups: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 100,
      description: 'The ids of all groups whose members may read.',
    }),
  ),
});
export type SiteAccessChange = Static<typeof SiteAccessChange>;

/** `PUT /api/projects/{slug}/access/password` */
export const SitePassword = Type.Object({
  password: Type.String({
    maxLength: 4 * MAX_PASSWORD_LENGTH,
    description: `${MIN_SITE_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
  }),
});

/** `POST /api/projects/{slug}/access/keys` */
export const NewSiteKey = Type.Object({
  kid: Type.String({ description: 'A name: 1 to 100 of A-Z, a-z, 0-9, `.`, `_` and `-`.' }),
  publicKey: Type.String({
    maxLength: 10_000,
    description:
      'PEM (`BEGIN PUBLIC KEY`) or a JSON Web Key: Ed25519, P-256, or RSA of 2048 to 8192 bits.',
  }),
});
export type NewSiteKey = Static<typeof NewSiteKey>;

/** `DELETE /api/projects/{slug}/access/sessions` */
export const EndedSiteSessions = Type.Object(
  { sessions: Type.Integer({ description: 'How many ended.' }) },
  { $id: 'EndedSiteSessions' },
);
export type EndedSiteSessions = Static<typeof EndedSiteSessions>;

/** `GET /api/projects/{slug}/access/preview` */
export const PreviewQuery = Type.Object({
  password: Type.Optional(OneOf(['true', 'false'])),
});

/** `POST /api/site-sign-in`: what the site's host sent the browser with. */
export const SiteSignIn = Type.Object({
  host: Type.String({ maxLength: 512 }),
  state: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  to: Type.Optional(Type.String({ maxLength: 4_000 })),
});
export type SiteSignIn = Static<typeof SiteSignIn>;

export const SiteTicket = Type.Object(
  { url: Type.String({ description: 'Where to go on, within a minute, in the same browser.' }) },
  { $id: 'SiteTicket' },
);
