import type { Domain, DomainEvent } from '../../../server/src/domains/domain.ts';
import { isLoopback } from '../settings/loopback.tsx';
import { Alert } from '../ui/alert.tsx';
import { Ago } from '../ui/time.tsx';

interface DomainNoticesProps {
  readonly domain: Domain;
  /** Newest first. */
  readonly events: readonly DomainEvent[];
}

/** Special conditions of a domain, at the top of its page. */
export function DomainNotices({ domain, events }: DomainNoticesProps) {
  const { hostname, unicode, state, needsProof, movedAwayAt, records, prepare } = domain;
  const wasLost = events.some(({ kind }) => kind === 'lost');
  const isOutOfReach =
    state === 'unverified' &&
    !isLoopback(`http://${hostname}`) &&
    records.some(
      ({ type, value }) => /^(?:CNAME|ALIAS)$/.test(type) && isLoopback(`http://${value}`),
    );
  return (
    <>
      {isOutOfReach && (
        <Alert tone="warning">
          <p className="font-medium">No domain can lead to this installation yet.</p>
          <p>
            Its sites are under a name that means this computer alone, on every computer. Whoever
            runs it sets DASHBOARD_PLATFORM_HOST to a name that the DNS leads here; then this page
            shows the record to create.
          </p>
        </Alert>
      )}
      {needsProof && state === 'unverified' && (
        <Alert>
          <p className="font-medium">Another project holds this name, {unicode}.</p>
          <p>
            {wasLost
              ? 'It has proven that the name is its own, so that this project no longer shows its site there. If it is yours, the TXT record below proves so; then it comes back to this project.'
              : 'The TXT record below proves that the name is yours; then it comes to this project. Until then the other one goes on showing its site there, and has been told of this.'}
          </p>
        </Alert>
      )}
      {movedAwayAt !== null && (
        <Alert tone="warning">
          <p className="font-medium">
            The DNS of {unicode} leads elsewhere: it was noticed <Ago at={movedAwayAt} />.
          </p>
          <p>
            Visitors arrive at another server
            {prepare ? '. The _acme-challenge record' : ', and the certificate cannot be renewed'}
            {prepare && ' goes on renewing the certificate'}. Put the records below back. If the
            move is meant, see under Moving who still comes here, and remove the domain when nobody
            does.
          </p>
        </Alert>
      )}
    </>
  );
}
