import { ExternalLink } from '../ui/external-link.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { WithCode } from '../ui/with-code.tsx';
import type { HostSteps as Steps } from './hosts.ts';

/** What to do at the host of a repository, step by step. */
export function HostSteps({
  steps: { page, steps },
  at,
}: {
  readonly steps: Steps;
  readonly at: string;
}) {
  return (
    <div className="grid gap-2">
      <ol className="grid list-decimal gap-1 pl-5 marker:text-muted">
        {steps.map((step) => (
          <li key={step}>
            <Step>{step}</Step>
          </li>
        ))}
      </ol>
      {page !== null && (
        <p>
          <ExternalLink href={page} className={TEXT_LINK}>
            Open that page at {at}
          </ExternalLink>
        </p>
      )}
    </div>
  );
}

/** A sentence in which `*what stands between stars*` is a name at the host, and what is between backticks code. */
export function Step({ children }: { readonly children: string }) {
  return children.split('*').map((part, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change places
      <WithCode key={index}>{part}</WithCode>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same
      <b key={index} className="font-semibold">
        {part}
      </b>
    ),
  );
}
