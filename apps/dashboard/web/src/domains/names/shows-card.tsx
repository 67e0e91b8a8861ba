import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Domain, DomainChange } from '../../../../server/src/domains/domain.ts';
import { useProject } from '../../projects/project-context.tsx';
import { versionsQuery } from '../../queries/deploys.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckBox } from '../../ui/check-box.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Confirm, FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { WithCode } from '../../ui/with-code.tsx';
import { changeDomain } from '../domain-cache.ts';

interface ShowsCardProps {
  readonly domain: Domain;
  readonly canChange: boolean;
}

/** What readers find at a domain: the whole site, one version, or the way to another address of the project. */
export function ShowsCard({ domain, canChange }: ShowsCardProps) {
  const { isWildcard, redirect, primary } = domain;
  const mayChange = canChange && !isWildcard;
  return (
    <Card
      title="What it shows"
      actions={
        mayChange && (
          <div className="flex flex-wrap gap-2">
            {!redirect && <VersionDialog domain={domain} />}
            {redirect ? (
              <ShowAgain domain={domain} />
            ) : (
              !primary && <RedirectDialog domain={domain} />
            )}
          </div>
        )
      }
    >
      <p className="max-w-prose">
        <WithCode>{shownInWords(domain)}</WithCode>
      </p>
    </Card>
  );
}

function shownInWords({ hostname, isWildcard, redirect, version, primary }: Domain): string {
  if (isWildcard) {
    const at = (label: string) => `\`${label}${hostname.slice(1)}\``;
    return `Versions and previews of branches, each at its label: ${at('v2')} shows the version v2, and a preview has the label of its own address. Previews are not indexed. A name below it that is added as a domain of its own comes first.`;
  }
  if (redirect) {
    const path = redirect.keepPath ? 'with the path of the request behind it' : 'whatever its path';
    return `Nothing: every request is redirected to \`${redirect.to}\` (${redirect.status}), ${path}.`;
  }
  const others = primary
    ? 'The project’s other domains that show the same redirect here.'
    : 'Where another domain that shows the same is the primary, this one redirects there.';
  if (version !== null) return `The version \`${version}\` alone, without a prefix. ${others}`;
  return `The whole site. ${others}`;
}

/** Lets a domain show one version, where there are any. */
function VersionDialog({ domain: { hostname, unicode, version } }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { data: versions } = useQuery(versionsQuery(slug));
  const names = (versions ?? [])
    .filter(({ state }) => state !== 'retired')
    .map((one) => one.version);
  if (names.length === 0) return null;
  const options = [
    { value: '', label: 'The whole site' },
    ...names.map((value) => ({ value, label: value })),
  ];
  return (
    <FormDialog
      trigger={<Button size="small">Choose version…</Button>}
      title={`What is ${unicode} to show?`}
      description="A version at a name of its own has no prefix there. Once the name has its certificate, the addresses of that version below the site lead to it."
      action="Save"
      run={({ version: chosen }) => changeDomain(slug, hostname, { version: chosen || null })}
      onDone={({ version: shown }) =>
        toast(`${unicode} shows ${shown === null ? 'the whole site' : shown}.`)
      }
    >
      <SelectField name="version" label="Version" options={options} defaultValue={version ?? ''} />
    </FormDialog>
  );
}

const STATUSES = [
  { value: '301', label: '301: for good' },
  { value: '308', label: '308: for good, and the method stays' },
  { value: '302', label: '302: for now' },
] as const;

/** Lets all requests to a domain lead to another address of the project. */
function RedirectDialog({ domain: { hostname, unicode } }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const [keepPath, setKeepPath] = useState(true);
  return (
    <FormDialog
      trigger={<Button size="small">Redirect…</Button>}
      onOpen={() => setKeepPath(true)}
      title={`Redirect ${unicode}?`}
      description="Every request leads there, with its query. Browsers and search engines may remember that."
      fields={['redirectTo']}
      conflictField="redirectTo"
      action="Redirect"
      run={({ redirectTo = '', status }) =>
        changeDomain(slug, hostname, {
          redirectTo,
          redirectStatus: Number(status) as NonNullable<DomainChange['redirectStatus']>,
          keepPath,
        })
      }
      onDone={({ redirect }) => toast(`${unicode} now redirects to ${redirect?.to}.`)}
    >
      <TextField
        name="redirectTo"
        label="To"
        placeholder="/v2"
        hint="A path of the site, such as /v2, or another domain of this project, such as https://docs.example.com/api."
        inputMode="url"
        autoCapitalize="none"
        autoComplete="off"
        maxLength={2_000}
        required
      />
      <SelectField name="status" label="Status" options={STATUSES} defaultValue="301" />
      <CheckBox
        label="Keep the path"
        hint="/guides of this name then leads to /guides behind that address."
        checked={keepPath}
        onChange={setKeepPath}
      />
    </FormDialog>
  );
}

function ShowAgain({ domain: { hostname, unicode } }: { readonly domain: Domain }) {
  const { slug } = useProject();
  return (
    <Confirm
      title={`Show the site at ${unicode} again?`}
      description="Browsers that remember a 301 or 308 go on following it for a while."
      action="Show the site"
      run={async () => {
        await changeDomain(slug, hostname, { redirectTo: null });
        toast(`${unicode} no longer redirects.`);
      }}
      trigger={<Button size="small">Show the site…</Button>}
    />
  );
}
