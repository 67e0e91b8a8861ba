import { useQuery } from '@tanstack/react-query';
import type { ChangeException } from '../../../server/src/deploys/exceptions/change-exception.ts';
import { path } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { exceptionsQuery } from '../queries/deploys.ts';
import { keys } from '../queries/keys.ts';
import { deleteAt } from '../query-client.ts';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { dayInUtc } from '../ui/format.ts';
import { CircleCheck } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';

/** The exceptions of the project. */
export function AllowedChangesPage() {
  const query = useQuery(exceptionsQuery(useProject().slug));
  return (
    <ProjectPage
      title="Allowed changes"
      description="Changes of the API that count as compatible although they break clients, until a day. The docs.yaml of a deploy may have more."
    >
      <Card title="Exceptions" flush>
        <ListView
          query={query}
          empty={
            <Empty icon={CircleCheck} title="No exceptions">
              An owner allows a breaking change on the page of its deploy, with a reason and a last
              day.
            </Empty>
          }
        >
          {(exception) => <ExceptionRow key={exception.id} exception={exception} />}
        </ListView>
      </Card>
    </ProjectPage>
  );
}

function ExceptionRow({ exception }: { readonly exception: ChangeException }) {
  const project = useProject();
  const { id, code, operation, reason, until, createdAt, createdBy } = exception;
  const run = () =>
    deleteAt(
      path`/projects/${project.slug}/change-exceptions/${id}`,
      keys.project(project.slug),
      'The change is not allowed any more.',
    );
  return (
    <li className="flex items-start justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="wrap-anywhere font-medium font-mono text-[0.8125rem]">
          {operation ?? 'Every operation'}
          <span className="font-normal text-muted"> · {code ?? 'every change'}</span>
        </p>
        <p className="wrap-anywhere">{reason}</p>
        <p className="wrap-anywhere text-[0.8125rem] text-muted">
          until the end of <time dateTime={until}>{dayInUtc(until)}</time> (UTC) · by {createdBy} ·{' '}
          <Ago at={createdAt} />
        </p>
      </div>
      {can(project, 'exception.manage') && (
        <ConfirmedButton
          title="End this exception?"
          description="The change counts as breaking again, in deploys that are not live yet and in later ones. What went live with it stays live."
          action="End"
          run={run}
          label={`End the exception for ${code ?? 'every change'} of ${operation ?? 'every operation'}`}
        />
      )}
    </li>
  );
}
