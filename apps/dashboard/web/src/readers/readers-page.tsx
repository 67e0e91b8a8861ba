import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReaderReport, ReaderRow } from '../../../server/src/readers/reader-report.ts';
import { can } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { readersQuery } from '../queries/readers.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { SELECT } from '../ui/field.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { CountsCard } from './counts-card.tsx';
import { FeedbackCard, SentencesCard } from './feedback-card.tsx';
import { MissingCard } from './missing-card.tsx';
import { PageName } from './page-name.tsx';
import { PERIODS, periodIn, USUAL_PERIOD } from './periods.ts';
import { Totals } from './totals.tsx';
import { ViewsChart } from './views-chart.tsx';

/** What readers of the site do: counts alone, which say nothing of anybody. */
export function ReadersPage() {
  const { slug } = useProject();
  const { period = USUAL_PERIOD } = useSearch({ from: '/signed-in/projects/$slug/readers' });
  const navigate = useNavigate();
  const query = useQuery(readersQuery(slug, period));
  return (
    <ProjectPage
      title="Readers"
      description="What people and programs do on this site. Counted without cookies, addresses or anything else about a reader."
      actions={
        <label>
          <span className="sr-only">Period</span>
          <select
            className={SELECT}
            value={period}
            onChange={({ currentTarget: { value } }) =>
              void navigate({
                to: '/projects/$slug/readers',
                params: { slug },
                search: periodIn({ period: value }),
                replace: true,
              })
            }
          >
            {PERIODS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <QueryView query={query}>
        {(report) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
            <State report={report} />
            <Totals totals={report.totals} />
            <Card title="Views" description={unitText(report)}>
              <ViewsChart report={report} />
            </Card>
            <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
              <CountsCard
                table="pages"
                period={period}
                title="Pages"
                noun="Page"
                empty="No page was viewed in this time. Open the site: within seconds your view is here."
                name={(row) => <PageName name={row.name} />}
              />
              <CountsCard
                table="sources"
                period={period}
                title="Where readers come from"
                noun="Host"
                empty="No view came from outside in this time. A link on another site is listed here by that site’s name."
                name={({ name }) => (name === '(direct)' ? 'Typed, bookmarked or not said' : name)}
              />
              <CountsCard
                table="searches"
                period={period}
                title="Searches"
                noun="Search"
                empty="Nobody searched in this time. Searches are told by pages of deploys from now on."
                details={found}
              />
              <CountsCard
                table="missed-searches"
                period={period}
                title="Searches without a full match"
                noun="Search"
                empty="Every search found pages with all of its words. What readers look for in vain is listed here: write it, or use their words."
                details={found}
              />
            </div>
            <MissingCard period={period} />
            <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
              <FeedbackCard period={period} />
              <SentencesCard />
              <CountsCard
                table="calls"
                period={period}
                title="Try-it calls"
                description="By operation, with the class of the status. Never what was sent."
                noun="Operation"
                empty="Nobody sent a request from the panel of an operation in this time."
                name={(row) => <PageName name={row.name} />}
                details={statuses}
              />
              <CountsCard
                table="agents"
                period={period}
                title="Programs"
                description="Assistants, crawlers and tools, and all requests for Markdown and llms.txt."
                noun="Program"
                empty="No program read the site in this time."
                details={({ details }) => listed(details, READ)}
              />
              <CountsCard
                table="tools"
                period={period}
                title="MCP tools"
                description="Calls of assistants at /mcp."
                noun="Tool"
                empty="No assistant asked the MCP server in this time. Its address is the site’s, with /mcp behind it."
              />
            </div>
          </div>
        )}
      </QueryView>
    </ProjectPage>
  );
}

/** What keeps the page empty, and what to do about it. */
function State({ report }: { readonly report: ReaderReport }) {
  const project = useProject();
  const settings = can(project, 'project.update') ? (
    <Link to="/projects/$slug/settings" params={{ slug: project.slug }} className={TEXT_LINK}>
      settings
    </Link>
  ) : (
    'settings'
  );
  if (!report.isCounted)
    return (
      <Alert>
        Counting is switched off. An owner switches it on in the project’s {settings}; what was
        counted before stays.
      </Alert>
    );
  if (project.live === null)
    return <Alert>Nothing is live yet. Deploy the project, and its readers are counted.</Alert>;
  if (report.since === null)
    return (
      <Alert>
        Nobody has been counted so far. Open the site: your own view is here within seconds, unless
        your browser asks not to be counted (Global Privacy Control, Do Not Track).
      </Alert>
    );
  return null;
}

function unitText({ unit }: ReaderReport): string {
  return unit === 'month' ? 'By month.' : `By ${unit}, in UTC.`;
}

const FOUND = { all: 'found', some: 'only some words', nothing: 'nothing' } as const;
const found = ({ details }: ReaderRow) => listed(details, FOUND);

const READ = { page: 'pages', markdown: 'Markdown', llms: 'llms.txt' } as const;

const statuses = ({ details }: ReaderRow) => listed(details, { none: 'no response' });

/** `12 × 2xx · 3 × no response`. */
function listed(details: ReaderRow['details'], words: Readonly<Record<string, string>>): string {
  return details
    .map(({ name, count }) => `${count.toLocaleString('en')} × ${words[name] ?? name}`)
    .join(' · ');
}
