import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { DeploySummary } from '../deploys/deploy.ts';
import { AnalyticsSetting } from '../readers/analytics-setting.ts';
import { Instant, Nullable, OneOf, ref } from '../schema-types.ts';
import type { Plan } from '../store/schema/projects.ts';

export const RoleName = OneOf(['owner', 'editor', 'viewer']);
const PlanName = OneOf(['free', 'pro', 'enterprise']);

/** What of a project's sites only readers may see. */
export const PrivatePart = OneOf(['nothing', 'previews', 'everything'], {
  description:
    'What only readers may see: nothing, the addresses of deploys and branches, or those of the site too.',
});

const ProjectName = Type.String({ minLength: 1, maxLength: 100 });
const Slug = Type.String({
  description: 'A DNS label: 1 to 40 of a-z, 0-9 and single inner dashes.',
});

/** `POST /api/projects` */
export const NewProject = Type.Object({ name: ProjectName, slug: Slug });
/** `PATCH /api/projects/{slug}`: a new slug moves the site; the old address leads there for 90 days. */
export const ProjectChange = Type.Object({
  name: Type.Optional(ProjectName),
  slug: Type.Optional(Slug),
  redirectPlatformHost: Type.Optional(
    Type.Boolean({ description: "The platform's address leads to the primary domain, too." }),
  ),
  mcp: Type.Optional(
    Type.Boolean({ description: 'The site has an MCP server at `/mcp`, for assistants.' }),
  ),
  requestProxy: Type.Optional(
    Type.Boolean({
      description:
        "Readers may send requests to the document's servers through the site. It can be switched on where the operator allows it.",
    }),
  ),
  countReaders: Type.Optional(
    Type.Boolean({
      description:
        'What readers of the site do is counted, and its pages ask whether they were helpful.',
    }),
  ),
  analytics: Type.Optional(Nullable(AnalyticsSetting)),
  strict: Type.Optional(
    Type.Boolean({ description: 'Deploys fail where they have warnings, whoever sends them.' }),
  ),
  holdBreaking: Type.Optional(
    Type.Boolean({
      description:
        'A deploy that breaks clients of what is live is held back until an owner confirms it.',
    }),
  ),
});
export type ProjectChange = Static<typeof ProjectChange>;
/** `DELETE /api/projects/{slug}`: the slug once more. */
export const DeletionConfirmation = Type.Object({ confirm: Type.String() });
/** `PUT /api/projects/{slug}/plan`: by the installation's owner. */
export const PlanChange = Type.Object({ plan: PlanName });

/** The limits of a plan; null: no limit. */
export const PlanLimits = Type.Object(
  {
    plan: PlanName,
    members: Nullable(Type.Integer({ description: 'Members and open invitations.' })),
    keptDeploys: Type.Integer({
      description: 'Succeeded deploys that can be gone back to; the live one is never pruned.',
    }),
    customDomains: Nullable(Type.Integer({ description: 'Host names of its own.' })),
    bytes: Nullable(Type.Integer({ description: 'Bytes that its deploys hold, and uploads.' })),
    buildsPerHour: Nullable(Type.Integer({ description: 'Deploys in an hour.' })),
  },
  { $id: 'PlanLimits' },
);
export type PlanLimits = Static<typeof PlanLimits>;

export const Project = Type.Object(
  {
    slug: Slug,
    name: ProjectName,
    plan: PlanName,
    url: Type.String({
      description: 'The address of its site: that of the primary domain once it has a certificate.',
    }),
    platformUrl: Type.String({ description: "Its address under the platform's host." }),
    redirectPlatformHost: Type.Boolean(),
    mcp: Type.Boolean(),
    requestProxy: Type.Boolean(),
    countReaders: Type.Boolean(),
    analytics: Nullable(AnalyticsSetting),
    strict: Type.Boolean(),
    holdBreaking: Type.Boolean(),
    private: PrivatePart,
    defaultVersion: Nullable(
      Type.String({
        description:
          'The version that its address leads to; null: it shows the deploy without one.',
      }),
    ),
    hasUnversioned: Type.Boolean({
      description: 'Whether a deploy without a version is live, readers find it or not.',
    }),
    createdAt: Instant,
    live: Nullable(ref(DeploySummary)),
    latest: Nullable(ref(DeploySummary)),
    limits: ref(PlanLimits),
    you: Type.Object({
      role: RoleName,
      can: Type.Array(Type.String(), {
        description: 'What the caller may do here, such as `deploy.create`.',
      }),
    }),
  },
  { $id: 'Project' },
);
export type Project = Static<typeof Project>;

/** `GET …/members` has a page of these; `PATCH …/members/{userId}` takes `{role}`. */
export const Member = Type.Object(
  {
    userId: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: OneOf(['owner', 'editor', 'viewer'], {
      description: 'The highest of all that they have.',
    }),
    ownRole: Nullable(
      OneOf(['owner', 'editor', 'viewer'], {
        description: 'The role of their own membership; null: they have one through groups alone.',
      }),
    ),
    through: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: RoleName }), {
      description: 'The groups that give them a role.',
    }),
    since: Instant,
    isYou: Type.Boolean(),
    isDisabled: Type.Boolean({ description: 'The account cannot sign in.' }),
  },
  { $id: 'Member' },
);
export type Member = Static<typeof Member>;

export const RoleChange = Type.Object({ role: RoleName });

/** `POST /api/projects/{slug}/invitations` */
export const NewInvitation = Type.Object({
  email: Type.String({ minLength: 3, maxLength: 254 }),
  role: RoleName,
});

export const Invitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: RoleName,
    invitedBy: Type.String(),
    createdAt: Instant,
    expiresAt: Instant,
    state: OneOf(['open', 'accepted', 'revoked', 'expired']),
  },
  { $id: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

/** With the link to hand over, which is shown this once: invitations are not mailed. */
export const CreatedInvitation = Type.Object(
  {
    ...Invitation.properties,
    link: Nullable(Type.String({ description: 'Shown this once; null where it was mailed.' })),
    mailed: Type.Boolean(),
    mailError: Nullable(
      Type.String({ description: 'Why it could not be mailed; null where nobody tried.' }),
    ),
  },
  { $id: 'CreatedInvitation' },
);
export type CreatedInvitation = Static<typeof CreatedInvitation>;

/** `GET /api/invitations/{secret}`, without signing in. */
export const OpenInvitation = Type.Object(
  {
    project: Type.String(),
    slug: Slug,
    email: Type.String(),
    role: RoleName,
    invitedBy: Type.String(),
    expiresAt: Instant,
  },
  { $id: 'OpenInvitation' },
);
export type OpenInvitation = Static<typeof OpenInvitation>;

/**
 * The limits that each plan has by itself, the smallest first; quotas say more (quotas/bounds.ts). They let the operator
 * share out resources; there is no payment here.
 */
export const PLANS: Record<Plan, Omit<PlanLimits, 'bytes' | 'buildsPerHour'>> = {
  free: { plan: 'free', members: 3, keptDeploys: 10, customDomains: 0 },
  pro: { plan: 'pro', members: 25, keptDeploys: 50, customDomains: 10 },
  enterprise: { plan: 'enterprise', members: null, keptDeploys: 500, customDomains: null },
};
