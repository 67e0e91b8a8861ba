import type { FoundDeploy, SearchResults } from '../../../server/src/search/search.ts';
import { shortHash } from '../deploys/commit-card.tsx';
import { Folder, GitBranch, Globe, Rocket, UserRound } from '../ui/icons.tsx';
import { addressOf, type Destination, type Group } from './destinations.ts';

/** What the server found, as groups of the palette. */
export function foundGroups(found: SearchResults): Group[] {
  return [
    {
      name: 'Projects',
      items: found.projects.map(({ slug, name }) => ({
        ...{ href: addressOf(slug), label: name, note: slug, icon: Folder },
      })),
    },
    { name: 'Deploys', items: found.deploys.map(deployItem) },
    {
      name: 'Domains',
      items: found.domains.map(({ project, hostname }) => ({
        href: `${addressOf(project.slug)}/settings/domains/${encodeURIComponent(hostname)}`,
        label: hostname,
        note: project.name,
        icon: Globe,
      })),
    },
    {
      name: 'People',
      items: found.people.map(({ name, email, project }) => ({
        // Who is in no project is found by the owner of the installation alone.
        href: project === null ? '/installation/people' : `${addressOf(project)}/settings/members`,
        ...{ label: name, note: email, icon: UserRound },
      })),
    },
  ];
}

function deployItem({ project, id, number, branch, title, commit }: FoundDeploy): Destination {
  const of = [project.name, branch, commit && shortHash(commit)].filter(Boolean);
  return {
    href: `${addressOf(project.slug)}/deploys/${id}`,
    label: `#${number} ${title}`,
    note: of.join(' · '),
    icon: branch === null ? Rocket : GitBranch,
  };
}
