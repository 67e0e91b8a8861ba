import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { Person } from '../../../server/src/installation/person.ts';
import { peopleQuery } from '../queries/installation.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { count } from '../ui/format.ts';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';

/** Every account of the installation, for its owner. */
export function PeoplePage() {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const query = useInfiniteQuery(peopleQuery(wanted));
  return (
    <Page title="People" description="Everyone who has an account here.">
      <div className="grid gap-4">
        <search className="max-w-95">
          <TextField
            name="search"
            label="Search"
            type="search"
            placeholder="Part of a name or an address"
            autoComplete="off"
            value={search}
            onValueChange={setSearch}
          />
        </search>
        <Card flush>
          <ListView
            query={query}
            empty={<p className="px-4 py-4 text-muted sm:px-5">No matching people.</p>}
          >
            {(person) => <PersonRow key={person.id} person={person} />}
          </ListView>
          <LoadMore query={query}>Show more people</LoadMore>
        </Card>
      </div>
    </Page>
  );
}

function PersonRow({ person }: { readonly person: Person }) {
  const { id, name, email, projects, tokens } = person;
  return (
    <li className="relative flex items-center gap-3 px-4 py-3 transition-colors hover:bg-subtle sm:px-5">
      <Avatar email={email} name={name} />
      <div className="grid min-w-0 flex-1 gap-x-4 sm:grid-cols-[minmax(0,1fr)_8rem_10rem] sm:items-center">
        <div className="min-w-0">
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <Link
              to="/installation/people/$id"
              params={{ id }}
              className="min-w-0 truncate font-medium after:absolute after:inset-0 hover:underline"
            >
              {name}
            </Link>
            <PersonBadges person={person} />
          </p>
          <p className="truncate text-[0.8125rem] text-muted">{email}</p>
        </div>
        <p className="text-[0.8125rem] text-muted">
          {person.lastSeenAt === null ? (
            'not seen yet'
          ) : (
            <>
              seen <Ago at={person.lastSeenAt} />
            </>
          )}
        </p>
        <p className="text-[0.8125rem] text-muted sm:text-right">
          {count(projects, 'project')}, {count(tokens, 'token')}
        </p>
      </div>
    </li>
  );
}

/** What is special about an account. */
export function PersonBadges({ person }: { readonly person: Person }) {
  const { isYou, isInstallationOwner, disabledAt } = person;
  return (
    <>
      {isYou && <Badge>You</Badge>}
      {isInstallationOwner && <Badge tone="accent">Owner</Badge>}
      {disabledAt !== null && <Badge tone="warning">Disabled</Badge>}
    </>
  );
}

export function LastSeen({ person: { lastSeenAt } }: { readonly person: Person }) {
  return lastSeenAt === null ? 'Never' : <Ago at={lastSeenAt} />;
}
