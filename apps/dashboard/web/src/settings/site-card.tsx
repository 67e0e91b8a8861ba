import { useQuery } from '@tanstack/react-query';
import type { Project, ProjectChange } from '../../../server/src/projects/project.ts';
import { messageOf, path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { useChoice } from '../queries/use-choice.ts';
import { showChanged } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Switch } from '../ui/switch.tsx';
import { toast } from '../ui/toasts.tsx';
import { WithCode } from '../ui/with-code.tsx';

/** What the site does besides showing pages, and what its deploys must be like. A switch takes effect at once. */
export function SiteCard() {
  const { url, mcp, requestProxy, countReaders, strict, holdBreaking } = useProject();
  const { data: installation } = useQuery(installationQuery);
  const mcpSwitch = useSwitch('mcp', 'The MCP server');
  const proxySwitch = useSwitch('requestProxy', 'The request proxy');
  const readersSwitch = useSwitch('countReaders', 'Counting readers');
  const strictSwitch = useSwitch('strict', 'Strictness');
  const holdSwitch = useSwitch('holdBreaking', 'Holding back');
  const error =
    mcpSwitch.error ??
    proxySwitch.error ??
    readersSwitch.error ??
    strictSwitch.error ??
    holdSwitch.error;
  // Without the operator's leave there is no proxy, whatever was chosen before.
  const mayPass = installation?.requestProxy === true;
  return (
    <Card title="The site" description="What it offers besides its pages.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {error && <Alert tone="negative">{messageOf(error)}</Alert>}
        <Switch
          label="MCP server for assistants"
          hint={
            <WithCode>
              {`Assistants search the site and read its pages and operations at \`${hostOf(url)}/mcp\`.`}
            </WithCode>
          }
          checked={mcpSwitch.chosen ?? mcp}
          onChange={mcpSwitch.choose}
        />
        <Switch
          label="Request proxy"
          hint={
            <WithCode>
              {installation === undefined || mayPass
                ? `For an API that browsers may not ask from other sites (CORS): readers may send requests to the document's servers through \`${hostOf(url)}\`, with their credentials. Nothing of them is kept.`
                : 'Not available: whoever runs this dashboard does not allow it (`DASHBOARD_REQUEST_PROXY`).'}
            </WithCode>
          }
          checked={mayPass && (proxySwitch.chosen ?? requestProxy)}
          disabled={!mayPass}
          onChange={proxySwitch.choose}
        />
        <Switch
          label="Count readers"
          hint="Views, searches, missing pages and answers to “Was this page helpful?”, without cookies or anything about a reader. What was counted stays."
          checked={readersSwitch.chosen ?? countReaders}
          onChange={readersSwitch.choose}
        />
        <Switch
          label="Strict deploys"
          hint="A deploy with warnings fails, and what is live stays live."
          checked={strictSwitch.chosen ?? strict}
          onChange={strictSwitch.choose}
        />
        <Switch
          label="Hold breaking deploys back"
          hint="A deploy that breaks clients of the live API goes live when an owner confirms it."
          checked={holdSwitch.chosen ?? holdBreaking}
          onChange={holdSwitch.choose}
        />
      </div>
    </Card>
  );
}

type Field = 'mcp' | 'requestProxy' | 'countReaders' | 'strict' | 'holdBreaking';

function useSwitch(field: Field, name: string) {
  const { slug } = useProject();
  return useChoice<boolean>(`project ${slug}`, async (isOn) => {
    const change: ProjectChange = { [field]: isOn };
    const changed = await request<Project>('PATCH', path`/projects/${slug}`, change);
    showChanged(keys.project(slug), changed);
    toast(`${name} is ${changed[field] ? 'on' : 'off'}.`);
  });
}
