import type { User } from '../../../server/src/accounts/account.ts';
import type { Permission } from '../../../server/src/accounts/permissions.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import { ACCOUNT_SECTIONS } from '../account/account-sections.ts';
import { INSTALLATION_SECTIONS } from '../installation/sections.ts';
import { can } from '../projects/permissions.ts';
import { SECTIONS } from '../settings/sections.ts';
import {
  CircleArrowRight,
  FolderPlus,
  GitBranch,
  Globe,
  type IconComponent,
  KeyRound,
  Rocket,
  UserPlus,
} from '../ui/icons.tsx';

/** Where the palette leads. */
export interface Destination {
  /** A path of the dashboard. */
  readonly href: string;
  readonly label: string;
  /** Of what it is, or where. */
  readonly note?: string | undefined;
  readonly icon: IconComponent;
}

export interface Group {
  readonly name: string;
  readonly items: readonly Destination[];
}

const ACTIONS: readonly (readonly [
  label: string,
  below: string,
  permission: Permission,
  icon: IconComponent,
])[] = [
  ['Deploy', '', 'deploy.create', Rocket],
  ['Add domain', '/settings/domains', 'domain.manage', Globe],
  ['Invite someone', '/settings/members', 'member.write', UserPlus],
  ['Connect a repository', '/settings/repository', 'repository.manage', GitBranch],
];

/** What the reader can begin, in the project at hand where it is one's. */
export function actionsFor(project: Project | undefined): Destination[] {
  const inProject = project
    ? ACTIONS.filter(([, , permission]) => can(project, permission)).map(
        ([label, below, , icon]) => ({
          ...{ label, icon, note: project.name },
          href: `${addressOf(project.slug)}${below}`,
        }),
      )
    : [];
  return [
    { label: 'New project', href: '/new', icon: FolderPlus },
    ...inProject,
    { label: 'New token', href: '/account/tokens', icon: KeyRound, note: 'Account' },
  ];
}

/** The pages of the project at hand and of the account. */
export function pagesFor(user: User, project: Project | undefined): Destination[] {
  const page = (label: string, href: string, note: string): Destination => ({
    ...{ label, href, note, icon: CircleArrowRight },
  });
  const ofProject = project
    ? [
        page('Overview', addressOf(project.slug), project.name),
        page('Deploys', `${addressOf(project.slug)}/deploys`, project.name),
        ...SECTIONS.filter(([, , permission]) => can(project, permission)).map(([label, to]) =>
          page(label, to.replace('/projects/$slug', addressOf(project.slug)), project.name),
        ),
      ]
    : [];
  const ofInstallation = user.isInstallationOwner ? INSTALLATION_SECTIONS : [];
  return [
    ...ofProject,
    page('Projects', '/', 'Home'),
    ...ACCOUNT_SECTIONS.map(({ label, to }) => page(label, to, 'Account')),
    ...ofInstallation.map(({ label, to }) => page(label, to, 'Installation')),
  ];
}

export const addressOf = (slug: string) => `/projects/${encodeURIComponent(slug)}`;

/** Those that have each word in their label or note. */
export function matching(items: readonly Destination[], query: string): Destination[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter(({ label, note = '' }) => {
    const text = `${label} ${note}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
