import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { PersonDetails } from '../../../server/src/installation/person.ts';
import { hasStatus } from '../api.ts';
import { personQuery } from '../queries/installation.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { count } from '../ui/format.ts';
import { ChevronLeft } from '../ui/icons.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { LastSeen, PersonBadges } from './people-page.tsx';
import { PersonActions } from './person-actions.tsx';
import { UsedTokens } from './used-tokens.tsx';

/** One account, for the owner of the installation. */
export function PersonPage() {
  const { id } = useParams({ from: '/signed-in/installation/people/$id' });
  const query = useQuery(personQuery(id));
  if (hasStatus(query.error, 404)) return <NotFound />;
  return (
    <>
      <Link
        to="/installation/people"
        className={`${TEXT_LINK} mb-3 inline-flex items-center gap-1`}
      >
        <ChevronLeft className="size-4" />
        People
      </Link>
      <QueryView query={query}>{(person) => <Details person={person} />}</QueryView>
    </>
  );
}

function Details({ person }: { readonly person: PersonDetails }) {
  const { name, email, createdAt, tokens, usedTokens } = person;
  return (
    <Page
      title={name}
      badges={<PersonBadges person={person} />}
      description={<span className="break-words">{email}</span>}
    >
      <div className="grid gap-5">
        <Card>
          <div className="flex gap-4">
            <Avatar email={email} name={name} size="large" />
            <div className="min-w-0 flex-1">
              <Facts
                rows={[
                  { term: 'Here since', value: <Ago at={createdAt} /> },
                  { term: 'Last seen', value: <LastSeen person={person} /> },
                  { term: 'API tokens', value: count(tokens, 'token') },
                ]}
              />
            </div>
          </div>
        </Card>
        <Memberships person={person} />
        {usedTokens.length > 0 && (
          <Card
            title="API tokens in use"
            description="Programs used them within the last 30 days. They stop when the account is disabled or removed."
          >
            <UsedTokens tokens={usedTokens} />
          </Card>
        )}
        <PersonActions person={person} />
      </div>
    </Page>
  );
}

function Memberships({ person: { memberships, name } }: { readonly person: PersonDetails }) {
  return (
    <Card title="Projects" flush>
      {memberships.length === 0 ? (
        <p className="px-4 py-4 text-muted sm:px-5">{name} is no member of a project.</p>
      ) : (
        <ul className="divide-y divide-line">
          {memberships.map(({ project, name: title, role, isOnlyOwner }) => (
            <li
              key={project}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 sm:px-5"
            >
              <Link
                to="/projects/$slug"
                params={{ slug: project }}
                className="min-w-0 flex-1 truncate font-medium hover:underline"
              >
                {title}
              </Link>
              {isOnlyOwner && <Badge tone="warning">Only owner</Badge>}
              <span className="text-muted capitalize">{role}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
