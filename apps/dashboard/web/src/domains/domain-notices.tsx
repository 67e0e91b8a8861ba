import type { Domain } from '../../../server/src/domains/domain.ts';
import { Ago } from '../ui/ago.tsx';
import { Alert } from '../ui/alert.tsx';

/** What is special about a domain, before all else on its page. */
export function DomainNotices({ domain }: { readonly domain: Domain }) {
  const { unicode, state, needsProof, movedAwayAt } = domain;
  return (
    <>
      {needsProof && state === 'unverified' && (
        <Alert>
          <p className="font-medium">Another project here holds {unicode}.</p>
          <p>
            The TXT record below proves that the name is yours; then it comes to this project. Until
            then the other one goes on showing its site there, and has been told of this.
          </p>
        </Alert>
      )}
      {movedAwayAt !== null && (
        <Alert tone="warning">
          <p className="font-medium">
            The DNS of {unicode} leads elsewhere: it was noticed <Ago at={movedAwayAt} />.
          </p>
          <p>
            Visitors arrive at another server, and the certificate cannot be renewed. Put the
            records below back; or remove the domain here if the move is meant.
          </p>
        </Alert>
      )}
    </>
  );
}
