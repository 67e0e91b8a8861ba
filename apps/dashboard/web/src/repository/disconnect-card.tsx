import type { Repository } from '../../../server/src/repositories/repository.ts';
import { path } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { deleteAt } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/form-dialog.tsx';
import { nameOf } from './state-card.tsx';

/** Ends the connection. */
export function DisconnectCard({ repository }: { readonly repository: Repository }) {
  const { slug } = useProject();
  const name = nameOf(repository);
  return (
    <Card
      title="Disconnect"
      tone="negative"
      description="Pushes are deployed no more. What is live stays live, and deploys and previews stay as they are."
    >
      <Confirm
        danger
        trigger={<Button variant="danger">Disconnect the repository</Button>}
        title={`Disconnect ${name}?`}
        description="The dashboard forgets its key or token and the secret of the webhook. Remove both at the host, too."
        action="Disconnect"
        run={() =>
          deleteAt(
            path`/projects/${slug}/repository`,
            keys.repository(slug),
            `${name} is disconnected.`,
          )
        }
      />
    </Card>
  );
}
