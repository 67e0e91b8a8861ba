import { useQuery } from '@tanstack/react-query';
import type { DnsRecord } from '../../../server/src/domains/verdict.ts';
import type { InstallationZone } from '../../../server/src/zone/zone.ts';
import { RecordsTable } from '../domains/records-table.tsx';
import { zoneCheckQuery, zoneQuery } from '../queries/installation.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Facts } from '../ui/facts.tsx';
import { RefreshCw } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Ago } from '../ui/time.tsx';
import { CertificateCard } from './certificate-card.tsx';
import { DelegationView } from './delegation-view.tsx';

/** The zone that the installation answers for itself: for its owner. */
export function ZonePage() {
  const zone = useQuery(zoneQuery);
  return (
    <Page
      title="DNS zone"
      description="A zone that this installation answers for itself. Certificates are proven there, without ports 80 and 443."
    >
      <QueryView query={zone}>
        {(data) => (data.name === null ? <NoZone /> : <Zone zone={data} name={data.name} />)}
      </QueryView>
    </Page>
  );
}

const SETTINGS = `DNS_ZONE=acme.docs.example.com
DNS_HOST=203.0.113.10
DNS_ADDRESSES=203.0.113.10`;

function NoZone() {
  return (
    <Card
      title="No zone yet"
      description="Whoever runs this installation sets these, with a name and the addresses of your own, and starts it again."
    >
      <div className="grid gap-3">
        <CodeBlock code={SETTINGS} what="settings" />
        <p className="max-w-prose text-muted">
          The name is a new one, below a domain of yours. It must reach this machine at port 53, for
          UDP and TCP. This page then shows the records that lead there.
        </p>
      </div>
    </Card>
  );
}

interface ZoneProps {
  readonly zone: InstallationZone;
  readonly name: string;
}

function Zone({ zone, name }: ZoneProps) {
  const { records, addresses, serial, wildcard, petstore } = zone;
  const check = useQuery(zoneCheckQuery);
  const above = name.slice(name.indexOf('.') + 1);
  const statusOf = (record: Pick<DnsRecord, 'type' | 'name' | 'value'>) =>
    check.data?.records.find(
      (found) =>
        found.type === record.type && found.name === record.name && found.value === record.value,
    )?.status ?? 'unknown';
  return (
    <div className="grid gap-6">
      {addresses.length > 0 && (
        <Card
          title="Address records"
          description="Create these as well: they lead to the dashboard, all sites, and the API where it is served."
          flush
        >
          <RecordsTable
            caption="Address records of this installation"
            records={addresses}
            statusOf={statusOf}
          />
        </Card>
      )}
      <Card
        title="Records of the delegation"
        description={`Create these where the DNS of ${above} is managed. They say who answers for ${name}.`}
        flush
      >
        <RecordsTable
          caption={`Records that delegate ${name}`}
          records={records}
          statusOf={statusOf}
        />
      </Card>
      <Card
        title="Seen from outside"
        actions={
          <Button size="small" pending={check.isFetching} onClick={() => check.refetch()}>
            {!check.isFetching && <RefreshCw />}
            Check again
          </Button>
        }
        footer={
          <span>
            {check.data ? (
              <>
                Checked <Ago at={new Date(check.dataUpdatedAt).toISOString()} />
              </>
            ) : (
              'Not checked yet'
            )}
          </span>
        }
      >
        <QueryView query={check}>{(data) => <DelegationView check={data} />}</QueryView>
      </Card>
      {wildcard && (
        <CertificateCard
          title={wildcard.names.length > 1 ? 'Certificate' : 'Wildcard certificate'}
          purpose={
            wildcard.names.length > 1
              ? 'For the dashboard, every site and preview'
              : 'For every site and preview'
          }
          own={wildcard}
        />
      )}
      {petstore && (
        <CertificateCard title="Certificate of the API" purpose="For the API" own={petstore} />
      )}
      <Card title="The zone">
        <Facts
          rows={[
            { term: 'Name', value: <code className="font-mono text-[0.8125rem]">{name}</code> },
            { term: 'Serial', value: serial },
            {
              term: 'Export',
              value: (
                <>
                  <code className="font-mono text-[0.8125rem]">dashboard zone</code> prints it as a
                  zone file. Transfers (AXFR) are refused.
                </>
              ),
            },
          ]}
        />
      </Card>
    </div>
  );
}
