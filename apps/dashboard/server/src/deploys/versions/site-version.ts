import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../../schema-types.ts';

/** `GET …/versions` has a page of these; `PATCH` chooses the default one, `DELETE` retires one. */
export const SiteVersion = Type.Object(
  {
    version: Type.String({ description: 'Its name, which is the first segment of its paths.' }),
    url: Type.String({ description: 'Its start page.' }),
    state: OneOf(['default', 'preview', 'old', 'retired', 'waiting'], {
      description:
        'default: what the address of the site leads to. preview: newer than that, or named as not released. old: all others. retired: its addresses redirect to the default. waiting: no deploy of it has succeeded yet.',
    }),
    deploy: Nullable(
      Type.Object(
        { id: Type.String(), number: Type.Integer() },
        { description: 'The one that it shows.' },
      ),
    ),
    createdAt: Instant,
    deployedAt: Type.String({
      format: 'date-time',
      description: 'When a deploy of the version last arrived.',
    }),
    retiredAt: Nullable(Instant),
  },
  { $id: 'SiteVersion' },
);
export type SiteVersion = Static<typeof SiteVersion>;

/** `PATCH /api/projects/{slug}/versions/{version}` */
export const SiteVersionChange = Type.Object({
  default: Type.Boolean({
    description:
      "true: the site's address leads to this version. false, of the default one: it shows the deploy without a version again.",
  }),
});
export type SiteVersionChange = Static<typeof SiteVersionChange>;
