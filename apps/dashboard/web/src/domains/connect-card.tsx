import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { DomainConnectOffer } from '../../../server/src/domain-connect/offer.ts';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { domainConnectQuery } from '../queries/domains.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { zoneOf } from './records.ts';

interface ConnectCardProps {
  readonly slug: string;
  readonly domain: Domain;
  /** Has the DNS checked. */
  readonly verify: () => void;
}

/** Offers to have the DNS provider create the records, and says how that went when one comes back. */
export function ConnectCard({ slug, domain, verify }: ConnectCardProps) {
  const { hostname, state, movedAwayAt, pointsHere } = domain;
  const isWanted = state === 'unverified' || movedAwayAt !== null || !pointsHere;
  const { data: offer } = useQuery({
    ...domainConnectQuery(slug, hostname),
    enabled: isWanted,
  });
  const [outcome] = useState(() => takeOutcome(hostname));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the visit that came back.
  useEffect(() => {
    if (outcome?.isDone) verify();
  }, []);
  if (!isWanted) return null;
  return (
    <>
      {outcome && <Outcome outcome={outcome} />}
      {offer?.applyUrl && <Offer offer={offer} domain={domain} />}
    </>
  );
}

interface OfferProps {
  readonly offer: DomainConnectOffer;
  readonly domain: Domain;
}

function Offer({ offer: { provider, applyUrl, state }, domain }: OfferProps) {
  const [first] = domain.records;
  const zone = first ? zoneOf(first) : domain.hostname;
  const leave = () => {
    const began: Began = { state: state ?? '', provider: provider ?? '' };
    sessionStorage.setItem(storageKey(domain.hostname), JSON.stringify(began));
    window.location.assign(applyUrl ?? '');
  };
  return (
    <Card
      title={`${provider} can create the records`}
      description={`It manages the DNS of ${zone}. You sign in and agree there, and come back here.`}
      actions={
        <Button size="small" variant="primary" onClick={leave}>
          Set it up at {provider}
        </Button>
      }
    />
  );
}

interface OutcomeOfConnect {
  readonly provider: string;
  readonly isDone: boolean;
  readonly error: string;
}

function Outcome({ outcome: { provider, isDone, error } }: { readonly outcome: OutcomeOfConnect }) {
  if (isDone)
    return (
      <Alert>
        {provider} has created the records. They are looked for now; it can take some minutes until
        they are found.
      </Alert>
    );
  return (
    <Alert tone="negative">
      {provider} has not created the records{error === '' ? '' : ` (${error})`}. Try again, or
      create them yourself as shown below.
    </Alert>
  );
}

interface Began {
  readonly state: string;
  readonly provider: string;
}

const storageKey = (hostname: string) => `domain-connect ${hostname}`;

/** The names of OAuth's errors, which the provider gives (RFC 6749, section 4.1.2.1). */
const ERROR = /^[a-z_]{1,40}$/;

/**
 * What the provider put behind the page's address, and takes it away. undefined where this browser did not begin there:
 * then anyone may have made the link.
 */
function takeOutcome(hostname: string): OutcomeOfConnect | undefined {
  const search = new URLSearchParams(window.location.search);
  const kept = sessionStorage.getItem(storageKey(hostname));
  if (!search.has('state') || kept === null) return undefined;
  const { state, provider } = JSON.parse(kept) as Began;
  if (search.get('state') !== state) return undefined;
  sessionStorage.removeItem(storageKey(hostname));
  window.history.replaceState(window.history.state, '', window.location.pathname);
  const error = search.get('error') ?? '';
  return { provider, isDone: !search.has('error'), error: ERROR.test(error) ? error : '' };
}
