import { useState } from 'react';
import type { SiteAccess } from '../../../server/src/site-access/site-access.ts';
import { path } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';

const WIDTHS = { desk: 'w-full', phone: 'w-[min(100%,24rem)]' } as const;
type Width = keyof typeof WIDTHS;

/** What a visitor sees who has to sign in: the page itself, in a frame in which nothing can be sent. */
export function PreviewCard({ access }: { readonly access: SiteAccess }) {
  const { slug } = useProject();
  const [width, setWidth] = useState<Width>('desk');
  // Another address after each change that the page shows.
  const shown = new URLSearchParams({ password: `${access.password !== null}` });
  const source = `/api${path`/projects/${slug}/access/preview`}?${shown}#${access.keys.length}`;
  return (
    <Card
      title="What a visitor sees"
      description={
        access.private === 'nothing'
          ? 'Nobody sees it while everything is public.'
          : 'In the project’s name, and in the colours of its site.'
      }
      actions={
        <div className="flex gap-1">
          {(['desk', 'phone'] as const).map((one) => (
            <Button
              key={one}
              size="small"
              variant={one === width ? 'secondary' : 'ghost'}
              aria-pressed={one === width}
              onClick={() => setWidth(one)}
            >
              {one === 'desk' ? 'Desk' : 'Phone'}
            </Button>
          ))}
        </div>
      }
    >
      <iframe
        key={source}
        src={source}
        title="The sign-in page of the site"
        sandbox=""
        tabIndex={-1}
        className={cx('mx-auto block h-130 rounded-md border border-line', WIDTHS[width])}
      />
    </Card>
  );
}
