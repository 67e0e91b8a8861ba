import { Tabs } from '@base-ui/react/tabs';
import { Link } from '@tanstack/react-router';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { Alert } from '../ui/alert.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { GitBranch } from '../ui/icons.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { UploadArea } from './upload-area.tsx';

/** How to deploy: with a file here, or from elsewhere. */
export function DeployCard() {
  const project = useProject();
  if (!can(project, 'deploy.create')) return <Alert>{REASONS['deploy.create']}</Alert>;
  const isFirst = project.latest === null;
  return (
    <Card
      title={isFirst ? 'Deploy your first document' : 'Deploy'}
      footer={isFirst && can(project, 'repository.manage') && <FromRepository />}
      description={
        isFirst &&
        'An OpenAPI document becomes a reference with search and a try-it panel; an archive may bring Markdown guides, too.'
      }
    >
      <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-2">
        <div className="grid min-w-0 grid-cols-1 gap-5">
          <UploadArea />
          <GuidesFolder />
        </div>
        <HowToDeploy />
      </div>
    </Card>
  );
}

/** The way without a file: the dashboard follows a repository. */
function FromRepository() {
  const { slug } = useProject();
  return (
    <>
      <span className="flex items-center gap-2">
        <GitBranch className="size-4 shrink-0" />
        Or from a repository: each push is deployed by itself, and branches have previews.
      </span>
      <Link
        to="/projects/$slug/settings/repository"
        params={{ slug }}
        className={buttonClass('secondary', 'small')}
      >
        Connect a repository
      </Link>
    </>
  );
}

const EXAMPLE = `title: Petstore
openapi: openapi.yaml     # optional
navigation:               # optional
  - index.md
  - guides/start.md`;

/** The contents of a folder of guides, for those who have none yet. */
function GuidesFolder() {
  return (
    <details>
      <summary className="w-fit rounded-sm font-medium">What goes into a folder of guides</summary>
      <p className="mt-2 mb-3 text-muted">
        Markdown pages, their images, and beside them a file docs.yaml. Only its title is required.
      </p>
      <CodeBlock code={EXAMPLE} what="example of docs.yaml" />
    </details>
  );
}

const TAB =
  'rounded-md border border-transparent px-2.5 py-1 text-[0.8125rem] text-muted data-active:border-line data-active:bg-surface data-active:font-medium data-active:text-ink data-active:shadow-card';

/** The same from a terminal or a build server, ready to be copied. */
function HowToDeploy() {
  const { slug } = useProject();
  const { origin } = window.location;
  const ways = [
    {
      name: 'curl',
      code: `export DASHBOARD_TOKEN=dash_…   # a token of yours
URL=${origin}/api/projects/${slug}/deploys

curl -H "Authorization: Bearer $DASHBOARD_TOKEN" \\
  --data-binary @openapi.yaml "$URL"

# an archive of guides, not put live yet
curl -H "Authorization: Bearer $DASHBOARD_TOKEN" \\
  --data-binary @docs.zip "$URL?activate=false"`,
      note: 'A Content-Type is not needed: the file itself tells what it is.',
    },
    {
      name: 'Command line',
      code: `# in the folder of the installation
export PATH="$PWD/node_modules/.bin:$PATH"
export DASHBOARD_URL=${origin}
export DASHBOARD_TOKEN=dash_…   # a token of yours

dashboard deploy --project ${slug} openapi.yaml
dashboard deploy --project ${slug} ./docs   # guides
dashboard deploy --project ${slug} --no-activate ./docs

# a preview with a lasting address, which never goes live
dashboard deploy --project ${slug} --branch feature-x ./docs

# a version of the site, below /v2
dashboard deploy --project ${slug} --version v2 ./docs`,
      note: 'The command comes with the installation. It packs a folder by itself, and waits until the deploy is built.',
    },
  ];
  return (
    <div className="min-w-0">
      <Tabs.Root defaultValue={ways[0]?.name}>
        <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
          <h3 className="font-medium">Or from a terminal</h3>
          <Tabs.List className="flex gap-0.5 rounded-lg bg-subtle p-0.5" aria-label="Way to deploy">
            {ways.map(({ name }) => (
              <Tabs.Tab key={name} value={name} className={TAB}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        {ways.map(({ name, code, note }) => (
          <Tabs.Panel key={name} value={name} className="rounded-md">
            <CodeBlock code={code} what="commands" />
            <p className="mt-3 text-[0.8125rem] text-muted">{note}</p>
          </Tabs.Panel>
        ))}
      </Tabs.Root>
      <p className="mt-1 text-[0.8125rem] text-muted">
        Create a token in{' '}
        <Link to="/account/tokens" className={TEXT_LINK}>
          your account
        </Link>
        , or one for this project alone in its{' '}
        <Link to="/projects/$slug/settings/tokens" params={{ slug }} className={TEXT_LINK}>
          settings
        </Link>
        .
      </p>
    </div>
  );
}
