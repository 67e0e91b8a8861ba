import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { checkChain } from '../../server/src/certificates/check-chain.ts';
import { certificateKeyContext } from '../../server/src/certificates/sealing.ts';
import {
  certificateOf,
  eventsOf,
  HOST,
  issuanceOf,
  onBothAuthorities,
  openLab,
  putVerifiedDomain,
  SEALER,
  until,
} from './support/lab.ts';

for (const challenge of ['http-01', 'tls-alpn-01'] as const) {
  onBothAuthorities(`a verified name has a certificate by ${challenge} alone`, async (t, start) => {
    const lab = await openLab(t);
    const authority = await start(lab);
    const id = await putVerifiedDomain(lab.db);
    lab.issuer(authority, { acme: { challenges: [challenge] } });
    const row = await until(() => certificateOf(lab.db, id), 'the certificate');

    const key = SEALER.open(row.sealed_key, certificateKeyContext(id));
    const { notAfter } = checkChain(row.chain, HOST, key, Date.now());
    assert.equal(row.not_after, notAfter);
    const [, intermediate] = row.chain.split(/(?<=END CERTIFICATE-----)/);
    const root = new X509Certificate(authority.rootPem);
    assert.ok(new X509Certificate(intermediate ?? '').verify(root.publicKey), 'leads to the root');

    assert.equal(await issuanceOf(lab.db, id), undefined);
    assert.deepEqual(await lab.db.selectFrom('acme_challenges').selectAll().execute(), []);
    assert.deepEqual(lab.changed, ['petstore']);
    const kinds = (await eventsOf(lab.db, id)).map(({ kind }) => kind);
    assert.deepEqual(kinds, [
      'certificate.requested',
      ...Array.from({ length: 5 }, () => 'certificate.step'),
      'certificate.issued',
    ]);
    assert.ok(lab.host.looked.length > 0);
    const scheme = challenge === 'http-01' ? 'http' : 'tls';
    assert.ok(lab.host.looked.every((one) => one === `${scheme} ${HOST}`));
  });
}
