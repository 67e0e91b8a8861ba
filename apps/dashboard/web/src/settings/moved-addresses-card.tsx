import { useQuery } from '@tanstack/react-query';
import { path } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { keys } from '../queries/keys.ts';
import { movedAddressesQuery } from '../queries/projects.ts';
import { deleteAt } from '../query-client.ts';
import { Card } from '../ui/card.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { Time } from '../ui/time.tsx';

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** The addresses that the project had before; nothing where it had none. */
export function MovedAddressesCard() {
  const { slug, platformUrl } = useProject();
  const { data = [] } = useQuery(movedAddressesQuery(slug));
  if (data.length === 0) return null;
  return (
    <Card
      title="Former addresses"
      description={`They lead to ${hostOf(platformUrl)}, with all pages and previews, and nobody else can take them meanwhile.`}
      flush
    >
      <ul className="divide-y divide-line">
        {data.map((address) => (
          <li
            key={address.slug}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 sm:px-5"
          >
            <div className="min-w-0">
              <p className="wrap-anywhere font-medium">{hostOf(address.url)}</p>
              <p className="text-[0.8125rem] text-muted">
                Until <Time at={address.until}>{DAY.format(Date.parse(address.until))}</Time>
              </p>
            </div>
            <ConfirmedButton
              text="End now"
              label={`End the redirect of ${hostOf(address.url)}`}
              title={`End the redirect of ${hostOf(address.url)}?`}
              description="Links to the address then lead nowhere. It stays reserved until the same day, and does not lead here again."
              action="End the redirect"
              run={() =>
                deleteAt(
                  path`/projects/${slug}/moved-addresses/${address.slug}`,
                  keys.project(slug),
                  `${hostOf(address.url)} leads here no longer.`,
                )
              }
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
