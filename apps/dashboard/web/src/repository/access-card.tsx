import type { Repository } from '../../../server/src/repositories/repository.ts';
import { Card } from '../ui/card.tsx';
import { CopyField } from '../ui/copy.tsx';
import { HostSteps } from './host-steps.tsx';
import { hostName, stepsAt } from './hosts.ts';

/** The deploy key, where it goes, and the keys of the host that are trusted. */
export function AccessCard({ repository }: { readonly repository: Repository }) {
  const { publicKey, hostKeys } = repository;
  const at = hostName(repository);
  return (
    <Card
      title="Deploy key"
      description="With it the dashboard may read this repository, and nothing else. Its private half never leaves the dashboard."
    >
      <div className="grid gap-5">
        {publicKey !== null && (
          <div className="grid gap-3">
            <CopyField value={publicKey} what="public key" />
            <HostSteps steps={stepsAt(repository, 'deployKey')} at={at} />
          </div>
        )}
        {hostKeys.length > 0 && (
          <div className="grid gap-1.5">
            <h3 className="font-medium">Keys of the host</h3>
            <p className="max-w-prose text-[0.8125rem] text-muted">
              They were taken when the host was asked first. With other keys nothing is fetched,
              until an owner accepts them. Compare them with those that {at} publishes.
            </p>
            <ul className="grid gap-1 font-mono text-[0.8125rem]">
              {hostKeys.map(({ type, fingerprint }) => (
                <li key={fingerprint} className="flex flex-wrap gap-x-3">
                  <span className="text-muted">{type}</span>
                  <span className="break-all">{fingerprint}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Card>
  );
}
