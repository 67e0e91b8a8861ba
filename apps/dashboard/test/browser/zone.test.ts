import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { sharedInstallation } from '../support/installation.ts';
import { look } from '../support/look.ts';

const ABOVE = 'docs.example.com';
const ZONE = `acme.${ABOVE}`;
const SERVER = `ns-${ZONE}`;
const ADDRESS = '127.0.0.2';

let above: NameServer | undefined;

/** The zone above, and the resolver: the dashboard's own server is at another address, and the same port. */
const shared = sharedInstallation(async () => {
  above = await startNameServer({
    zones: {
      [ABOVE]: [
        { name: ABOVE, type: 'NS', value: `ns.${ABOVE}` },
        { name: `ns.${ABOVE}`, type: 'A', value: '127.0.0.1' },
      ],
    },
  });
  cleanUp(FILE, above.close);
  const port = `${above.port}`;
  return {
    ...{ DASHBOARD_SIGN_UP: 'open', DNS_ZONE: ZONE, DNS_HOST: ADDRESS, DNS_PORT: port },
    ...{ DNS_SERVERS: above.server, DNS_AUTHORITATIVE_PORT: port, DNS_PRIVATE_SERVERS: 'allow' },
  };
});

test('the owner creates the two records that the page shows, and sees the zone delegated', async () => {
  const installation = shared();
  const { page, complaints } = await installation.member();
  const stranger = await installation.member();
  await page.goto(`${installation.origin}/installation`);
  await page.getByRole('link', { name: 'DNS zone' }).click();
  const records = page.getByRole('table', { name: `Records that delegate ${ZONE}` });
  await records.getByText('Missing').first().waitFor();
  const path = '/installation/zone';
  await look(page, installation, { name: 'zone-not-delegated', path, text: 'Not delegated yet' });
  await page.getByText(`with the value ${SERVER}`).waitFor();
  await page.getByText('UDP: answers · TCP: answers').waitFor();

  const challenge = page.getByRole('table', {
    name: 'Record for the certificate of *.docs.localhost',
  });
  await challenge.getByText(`platform.${ZONE}`).waitFor();
  await page.getByText('does not lead into the zone yet').waitFor();

  const zone = above?.zone(ABOVE);
  zone?.setRecords(ZONE, 'NS', [SERVER]);
  zone?.setRecords(SERVER, 'A', [ADDRESS]);
  const again = page.getByRole('button', { name: 'Check again' });
  await again.click();
  await page.getByText('Not found yet').waitFor();
  // The resolver, which is the same server, finds it now.
  above?.addZone(ZONE, [{ name: ZONE, type: 'NS', value: SERVER }]);
  await again.click();
  await page.getByText('The zone is delegated', { exact: true }).waitFor();
  assert.equal(await records.getByText('Right').count(), 2);
  await look(page, installation, { name: 'zone-delegated', path, text: 'The zone is delegated' });
  assert.deepEqual(complaints, []);

  await stranger.page.goto(`${installation.origin}${path}`);
  await stranger.page
    .getByText('Only the owner of the installation can see these pages.')
    .waitFor();
  assert.equal(await stranger.page.getByRole('link', { name: 'DNS zone' }).count(), 0);
});
