import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { banner, type OwnFacts } from '../../server/src/commands/banner.ts';

const DASHBOARD = { name: 'docs.example.com', type: 'A', value: '203.0.113.10' } as const;
const API = { name: 'api.example.com', type: 'A', value: '203.0.113.10' } as const;

const bannerOf = (own: Pick<OwnFacts, 'records' | 'hasCertificate'>) =>
  banner({
    ...{ version: '1.0.0', url: 'https://docs.example.com', data: 'dashboard.db', hasUsers: true },
    ...{ sites: 'https://{slug}.docs.example.com', httpsPort: 443, operatorPort: undefined },
    own: {
      ...{ localUrl: 'http://127.0.0.1:8081', ...own },
      api: { url: 'https://api.example.com', target: 'http://127.0.0.1:8080' },
    },
  });

test('the banner names the records of what has no certificate, also of an API that came later', () => {
  const first = bannerOf({ records: [DASHBOARD, API], hasCertificate: false });
  assert.match(first, /HTTPS begins within a minute once these records are in the DNS:/);
  assert.match(first, /Until then the dashboard is here alone/);

  const later = bannerOf({ records: [API], hasCertificate: true });
  assert.match(later, /The API is there within a minute once this record is in the DNS:/);
  assert.match(later, /api\.example\.com\. {2}A {6}203\.0\.113\.10/);
  assert.doesNotMatch(later, /Until then/);

  assert.doesNotMatch(bannerOf({ records: [], hasCertificate: true }), /in the DNS/);
});
