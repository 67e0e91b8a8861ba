import { useQuery } from '@tanstack/react-query';
import type { SiteVersion } from '../../../server/src/deploys/versions/site-version.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { versionsQuery } from '../queries/deploys.ts';
import { keys } from '../queries/keys.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { Confirm, ConfirmedButton } from '../ui/form-dialog.tsx';
import { ListView } from '../ui/list-view.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { DeployLink } from './deploy-link.tsx';

/** The versions of the project's site. Without any it shows nothing. */
export function VersionsCard() {
  const project = useProject();
  const query = useQuery(versionsQuery(project.slug));
  // Most projects have none, so nothing stands there until it is known.
  if (query.isPending || query.data?.length === 0) return null;
  return (
    <Card
      title="Versions"
      description="Each is below its name at the site’s address, with a list of the others. Search engines find the default one alone."
      flush
    >
      {project.hasUnversioned && (
        <ul className="border-line border-b">
          <UnversionedRow />
        </ul>
      )}
      <ListView query={query}>
        {(version) => <VersionRow key={version.version} version={version} />}
      </ListView>
    </Card>
  );
}

const STATES = {
  default: { title: 'Default', tone: 'positive' },
  preview: { title: 'Not released', tone: 'accent' },
  old: { title: 'Old', tone: 'neutral' },
  retired: { title: 'Retired', tone: 'neutral' },
  waiting: { title: 'Not deployed', tone: 'warning' },
} as const;

const ROW =
  'flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 sm:flex-nowrap sm:px-5';

function VersionRow({ version: shown }: { readonly version: SiteVersion }) {
  const project = useProject();
  const { slug } = project;
  const { version, url, state, deploy, deployedAt, retiredAt } = shown;
  const { title, tone } = STATES[state];
  const retire = () =>
    deleteAt(
      path`/projects/${slug}/versions/${version}`,
      keys.project(slug),
      state === 'waiting'
        ? `The version ${version} is gone.`
        : `The version ${version} is retired.`,
    );
  return (
    <li className={ROW}>
      <div className="min-w-0">
        <p className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{version}</span>
          <Badge tone={tone}>{title}</Badge>
        </p>
        {deploy && (
          <div className="flex min-w-0 items-center gap-1">
            <ExternalLink href={url} className={cx('truncate', TEXT_LINK)}>
              {hostOf(url)}/{version}
            </ExternalLink>
            <CopyButton value={url} what={`address of ${version}`} />
          </div>
        )}
        <p className="text-[0.8125rem] text-muted">
          {deploy && (
            <>
              <DeployLink slug={slug} deploy={deploy} />
              {' · '}
            </>
          )}
          {retiredAt === null ? (
            <>
              last deployed <Ago at={deployedAt} />
            </>
          ) : (
            <>
              redirects to the default since <Ago at={retiredAt} />
            </>
          )}
        </p>
      </div>
      <div className="flex shrink-0 gap-2">
        {deploy && state !== 'default' && mayChooseDefault(project) && (
          <DefaultButton
            label={`Make default: ${version}`}
            version={version}
            isDefault
            what={`the version ${version}`}
          />
        )}
        {retiredAt === null && state !== 'default' && can(project, 'deploy.create') && (
          <ConfirmedButton
            title={state === 'waiting' ? `Remove ${version}?` : `Retire ${version}?`}
            description={
              state === 'waiting'
                ? 'No deploy of it has succeeded. Another deploy of the version opens it again.'
                : 'Its addresses redirect to the default version at once, to the same page where there is one, and the files of its deploys are removed. Another deploy of the version takes it up again.'
            }
            action={state === 'waiting' ? 'Remove' : 'Retire'}
            text={state === 'waiting' ? 'Remove' : 'Retire'}
            run={retire}
            label={`${state === 'waiting' ? 'Remove' : 'Retire'} ${version}`}
          />
        )}
      </div>
    </li>
  );
}

/** What is deployed without a version. */
function UnversionedRow() {
  const project = useProject();
  const { defaultVersion } = project;
  return (
    <li className={ROW}>
      <div className="min-w-0">
        <p className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">Without a version</span>
          <Badge tone={defaultVersion === null ? 'positive' : 'neutral'}>
            {defaultVersion === null ? 'Default' : 'Hidden'}
          </Badge>
        </p>
        <p className="text-[0.8125rem] text-muted">
          {defaultVersion === null
            ? 'Readers find it at the site’s address, as “Latest”.'
            : `The site’s address leads to ${defaultVersion} in its place.`}
        </p>
      </div>
      {defaultVersion !== null && mayChooseDefault(project) && (
        <DefaultButton
          label="Make default: what has no version"
          version={defaultVersion}
          isDefault={false}
          what="what is deployed without a version"
        />
      )}
    </li>
  );
}

/** Where the project holds breaking deploys back, an owner chooses what the site's address shows. */
const mayChooseDefault = (project: Project): boolean =>
  can(project, project.holdBreaking ? 'deploy.confirm' : 'deploy.activate');

interface DefaultButtonProps {
  readonly label: string;
  /** The version that becomes the default, or is no longer. */
  readonly version: string;
  readonly isDefault: boolean;
  readonly what: string;
}

function DefaultButton({ label, version, isDefault, what }: DefaultButtonProps) {
  const { slug, url } = useProject();
  const run = async () => {
    const body = { default: isDefault };
    await request('PATCH', path`/projects/${slug}/versions/${version}`, body);
    await queryClient.invalidateQueries({ queryKey: keys.project(slug) });
    toast(`The site’s address leads to ${what}.`);
  };
  return (
    <Confirm
      title="Change the default?"
      description={`${hostOf(url)} leads to ${what} at once, and pages of other versions point there.`}
      action="Make default"
      run={run}
      trigger={
        <Button variant="ghost" size="small" aria-label={label}>
          Make default
        </Button>
      }
    />
  );
}
