import { useState } from 'react';
import type { SiteAccess } from '../../../server/src/site-access/site-access.ts';
import { messageOf } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { RadioField } from '../ui/radio-field.tsx';
import { type AccessCardProps, useAccessChange } from './change-access.ts';

type Private = SiteAccess['private'];

const SAID: Record<Private, string> = {
  nothing: 'The site and its previews are public.',
  previews: 'Previews are private, and the site is public.',
  everything: 'The site and its previews are private.',
};

/** Chooses what is private. What becomes public is asked about first. */
export function PrivateCard({ access, isOwner }: AccessCardProps) {
  const { url } = useProject();
  const change = useAccessChange(({ private: chosen }) => SAID[chosen]);
  const [opening, setOpening] = useState<Private>();
  const choose = (value: Private) => {
    const rank: Private[] = ['nothing', 'previews', 'everything'];
    if (rank.indexOf(value) < rank.indexOf(access.private)) setOpening(value);
    else change.mutate({ private: value });
  };
  return (
    <Card title="What is private" description="It holds within a second, on every host.">
      <div className="grid gap-4">
        {change.error && <Alert tone="negative">{messageOf(change.error)}</Alert>}
        <RadioField
          legend="Readers have to sign in for"
          value={change.isPending ? (change.variables.private ?? access.private) : access.private}
          disabled={!isOwner || change.isPending}
          onChange={choose}
          options={[
            {
              value: 'nothing',
              label: 'Nothing',
              hint: `Everybody may read ${hostOf(url)} and its previews.`,
            },
            {
              value: 'previews',
              label: 'Previews',
              hint: 'The addresses of deploys and of branches. What is live is public.',
            },
            {
              value: 'everything',
              label: 'Everything',
              hint: 'The site on all its domains too: pages, search, Markdown, feeds, the document and the MCP server.',
            },
          ]}
        />
        <FormDialog
          openState={[opening !== undefined, (isOpen) => !isOpen && setOpening(undefined)]}
          title={opening === 'previews' ? 'Make the site public?' : 'Make it all public?'}
          description={
            opening === 'previews'
              ? `Everybody can read what is live at ${hostOf(url)}. Previews stay private.`
              : `Everybody can read ${hostOf(url)} and its previews, old deploys too.`
          }
          action="Make it public"
          danger
          className="block"
          run={() => change.mutateAsync({ private: opening ?? access.private })}
        />
      </div>
    </Card>
  );
}
