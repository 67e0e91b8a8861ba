import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { LinkedDomain } from '../../../server/src/domains/domain.ts';
import { hasStatus, path, request } from '../api.ts';
import { linkedDomainQuery } from '../queries/domains.ts';
import { keys } from '../queries/keys.ts';
import { showChanged } from '../query-client.ts';
import { AuthPage } from '../session/auth-page.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { Logo } from '../ui/logo.tsx';
import { DocumentTitle } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { CertificateCard } from './certificate-card.tsx';
import { CheckCard } from './check-card.tsx';
import { DomainState, stateLabel } from './domain-state.tsx';
import { MoveCard } from './move-card.tsx';
import { awaitsMove, stageOf } from './preparation.ts';
import { RecordsCard } from './records-card.tsx';
import { useVerify } from './verify.tsx';

/** A domain's records and state for whoever has the link. It shows nothing else of the dashboard. */
export function LinkedDomainPage() {
  const { secret } = useParams({ from: '/d/$secret' });
  const query = useQuery(linkedDomainQuery(secret));
  if (hasStatus(query.error, 404)) {
    return (
      <AuthPage title="This link has ended">
        <p className="text-muted">
          It may have been renewed, or the domain was removed; or the link is not complete. Ask the
          one who sent it for the current one.
        </p>
      </AuthPage>
    );
  }
  return (
    <main className="mx-auto grid w-full max-w-216 grid-cols-1 gap-5 px-4 py-8 sm:px-6 print:p-0">
      <QueryView query={query} skeleton={<SkeletonPage />}>
        {(domain) => <LinkedDomainView secret={secret} domain={domain} />}
      </QueryView>
    </main>
  );
}

interface LinkedDomainViewProps {
  readonly secret: string;
  readonly domain: LinkedDomain;
}

function LinkedDomainView({ secret, domain }: LinkedDomainViewProps) {
  const { hostname, unicode, projectName, state } = domain;
  const verify = useVerify(async () => {
    const checked = await request<LinkedDomain>('POST', path`/domain-links/${secret}/verify`);
    showChanged(keys.linkedDomain(secret), checked);
    return checked;
  });
  return (
    <>
      <DocumentTitle>{`${stateLabel(domain)}: ${unicode}`}</DocumentTitle>
      <header className="flex items-start gap-4">
        <Logo className="size-10 shrink-0 max-sm:hidden" />
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 break-words font-semibold text-[1.375rem] leading-8 tracking-[-0.02em]">
              DNS records for {unicode}
            </h1>
            <span role="status">
              <DomainState domain={domain} />
            </span>
          </div>
          {hostname !== unicode && (
            <p className="break-words text-muted">
              <code className="font-mono text-[0.8125rem]">{hostname}</code>
            </p>
          )}
          <p className="mt-0.5 max-w-prose text-muted">
            <Request domain={domain} />
          </p>
        </div>
      </header>
      <MoveCard domain={domain} />
      <RecordsCard domain={domain} link={window.location.href} />
      <CheckCard domain={domain} verify={verify} />
      {state !== 'unverified' && <CertificateCard domain={domain} events={[]} verify={verify} />}
      <p className="max-w-prose text-[0.8125rem] text-muted">
        Questions? Ask the person who sent you this link: they see the same, and the rest of the
        project “{projectName}”. Anyone with the link can see this page and press Verify.
      </p>
    </>
  );
}

/** What the reader has to do, if anything. */
function Request({ domain }: { readonly domain: LinkedDomain }) {
  const { state, projectName, url, movedAwayAt } = domain;
  if (movedAwayAt !== null) {
    return (
      <>
        The project “{projectName}” showed its documentation at this name, but its DNS leads
        elsewhere by now. Put the records below back, unless the move is meant.
      </>
    );
  }
  const stage = stageOf(domain);
  if (stage !== undefined && stage !== 'moved') {
    return (
      <>
        The project “{projectName}” takes this name over from another host, without an outage. This
        page says which record to create now, and when to change the other; it needs no account.
      </>
    );
  }
  if (state === 'unverified' || awaitsMove(domain)) {
    return (
      <>
        The project “{projectName}” shows its documentation at this name once its DNS leads there.
        This page says what to create and whether it is right; it needs no account.
      </>
    );
  }
  return (
    <>
      The project “{projectName}” shows its documentation at{' '}
      {state === 'active' ? (
        <ExternalLink href={url} className={TEXT_LINK}>
          {url}
        </ExternalLink>
      ) : (
        `${url} once the certificate is there`
      )}
      . There is nothing more to do, but to keep the records.
    </>
  );
}
