import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf, ref } from '../schema-types.ts';
import { QUOTA_NAMES, type QuotaName } from './quota.ts';

const NAMES = QUOTA_NAMES as [QuotaName, ...QuotaName[]];

const Most = Nullable(
  Type.Integer({ minimum: 0, description: 'A number, or bytes; null: as much as one likes.' }),
);

/** What an account or a project uses of one thing, and may use. */
export const QuotaUse = Type.Object(
  {
    quota: OneOf(NAMES),
    unit: OneOf(['count', 'bytes']),
    used: Type.Integer({ description: 'Uploads that wait to be built count as bytes.' }),
    most: Most,
    from: OneOf(['one', 'plan', 'everybody', 'built-in', 'nothing'], {
      description:
        'What says so: what is set for this account or project, for its plan, for everybody, the plan itself, or nothing.',
    }),
  },
  { $id: 'QuotaUse' },
);
export type QuotaUse = Static<typeof QuotaUse>;

const PlanName = OneOf(['free', 'pro', 'enterprise']);

/** `GET /api/installation/quotas` has a page of these: what is set for everybody and for plans. */
export const QuotaDefault = Type.Object(
  {
    quota: OneOf(NAMES),
    unit: OneOf(['count', 'bytes']),
    of: OneOf(['account', 'project']),
    target: Type.String({ description: '`everybody`, or `plan:` and the name of a plan.' }),
    plan: Nullable(PlanName),
    isSet: Type.Boolean({ description: 'false: what is less specific holds.' }),
    most: Most,
  },
  { $id: 'QuotaDefault' },
);
export type QuotaDefault = Static<typeof QuotaDefault>;

export const AccountQuotas = Type.Object(
  {
    target: Type.String({ description: '`account:` and its address.' }),
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    plan: OneOf(['free', 'pro', 'enterprise'], {
      description: 'The highest of the projects that it owns.',
    }),
    quotas: Type.Array(ref(QuotaUse)),
  },
  { $id: 'AccountQuotas' },
);
export type AccountQuotas = Static<typeof AccountQuotas>;

export const ProjectQuotas = Type.Object(
  {
    target: Type.String({ description: '`project:` and its slug.' }),
    slug: Type.String(),
    name: Type.String(),
    plan: PlanName,
    quotas: Type.Array(ref(QuotaUse)),
  },
  { $id: 'ProjectQuotas' },
);
export type ProjectQuotas = Static<typeof ProjectQuotas>;

/** `PUT /api/installation/quotas/{quota}/{target}` */
export const QuotaValue = Type.Object({ most: Most });

/** What a quota is for somebody after it was changed. */
export const QuotaState = Type.Object(
  {
    quota: OneOf(NAMES),
    target: Type.String(),
    isSet: Type.Boolean(),
    most: Most,
    used: Nullable(Type.Integer({ description: 'null where it is of many.' })),
  },
  { $id: 'QuotaState' },
);
export type QuotaState = Static<typeof QuotaState>;

/** A deploy whose files may be removed, since nothing shows it. */
export const RemovableDeploy = Type.Object(
  {
    id: Type.String(),
    number: Type.Integer(),
    sourceName: Type.String(),
    createdAt: Instant,
    frees: Type.Integer({ description: 'Bytes that no other deploy of the project has.' }),
  },
  { $id: 'RemovableDeploy' },
);
export type RemovableDeploy = Static<typeof RemovableDeploy>;
