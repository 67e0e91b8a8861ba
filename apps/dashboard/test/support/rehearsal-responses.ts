import type {
  ComparedPage,
  Finding,
  Rehearsal,
  RehearsalResult,
} from '../../server/src/domains/rehearsal/rehearsal.ts';
import { HOSTNAME } from './domain-responses.ts';

// Answers about rehearsals: what they find all at once takes a site that has everything.

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

const finding = (one: Pick<Finding, 'code' | 'level' | 'title'> & Partial<Finding>): Finding => ({
  message: '',
  remedy: '',
  add: [],
  details: [],
  ...one,
});

const page = (
  path: string,
  state: ComparedPage['state'],
  more: Partial<ComparedPage> = {},
): ComparedPage => ({ path, title: '', to: null, suggestion: null, state, ...more });

const FOUND = Array.from({ length: 140 }, (_, i) =>
  page(`/guides/page-${i + 1}`, 'found', { title: `Page ${i + 1}` }),
);

export const NOT_READY: RehearsalResult = {
  verdict: 'not_ready',
  message: '3 things are missing. Begin with the first, and rehearse again when they are done.',
  findings: [
    finding({
      code: 'caa_blocks',
      level: 'missing',
      title: 'A CAA record forbids the next certificate',
      message:
        'The CAA records of example.com do not allow letsencrypt.org to issue certificates. They apply to docs.example.com as well.',
      remedy: 'In the DNS of example.com, add this record and keep the existing ones.',
      add: [
        {
          ...{ type: 'CAA', name: 'example.com', host: '@', ttl: 3_600 },
          value: '0 issue "letsencrypt.org"',
        },
      ],
    }),
    finding({
      code: 'mail_lost',
      level: 'missing',
      title: 'Mail to docs.example.com would end',
      message: 'docs.example.com receives mail, and a CNAME cannot be beside an MX record.',
      remedy:
        'If nobody writes to addresses at docs.example.com, remove the MX record. Otherwise move the mail to another name first, or choose another name for the site.',
      details: ['docs.example.com MX 10 mail.example.com'],
    }),
    finding({
      code: 'pages_missing',
      level: 'missing',
      title: '4 addresses lead nowhere here',
      message:
        'The old site has them, so links, bookmarks and search engines lead to them. Here they answer with 404.',
      remedy:
        'Add the redirects below to docs.yaml, and deploy. One has no page here that is alike: choose where it leads.',
    }),
    finding({
      code: 'hsts',
      level: 'advice',
      title: 'The old host set HSTS for 365 days',
      message:
        'Browsers that were there today refuse docs.example.com and all its subdomains without HTTPS until 2027-11-26. There is no step back to plain HTTP before.',
      remedy:
        'Nothing is needed for the move: the certificate is here. To keep the protection, switch HSTS on here as well, once the name leads here.',
    }),
    finding({
      code: 'long_ttl',
      level: 'advice',
      title: 'Resolvers keep the old record for 60 minutes',
      message:
        'Its TTL is 3600 seconds. For as long after the change some visitors still reach the old host, and a step back takes as long.',
      remedy:
        'Set the TTL to 300 now, wait for 60 minutes, and change the record then. Leave the old host on until everyone has the new one.',
      details: ['docs.example.com A 203.0.113.7, TTL 3600'],
    }),
    finding({
      code: 'headers_lost',
      level: 'advice',
      title: '2 headers of the old host are not sent here',
      message:
        'With them the old host says that other sites may not show it in a frame and which features of the browser its pages may use.',
      remedy: 'Mostly nothing is to be done. Check those that somebody relies on.',
      details: ['x-frame-options: DENY', 'permissions-policy: camera=(), microphone=()'],
    }),
  ],
  comparison: {
    ...{ origin: `https://${HOSTNAME}`, found: 140, redirected: 2, missing: 4 },
    ...{ cutBy: null, excluded: 0 },
    pages: [
      page('/changelog', 'missing', { suggestion: 'https://changes.example.com/parcel' }),
      page('/docs/quickstart.html', 'missing', {
        title: 'Quick start | Parcel',
        suggestion: '/guides/start',
      }),
      page('/docs/webhooks.html', 'missing', {
        title: 'Receive webhooks | Parcel',
        suggestion: '/guides/webhooks',
      }),
      page('/pricing', 'missing', { title: 'What it costs' }),
      page('/guides/errors/', 'redirected', { title: 'Errors', to: '/guides/errors' }),
      page('/status', 'redirected', { title: 'Status', to: 'https://status.example.com/' }),
      ...FOUND,
    ],
    redirects: `redirects:
  /changelog: https://changes.example.com/parcel
  /docs/quickstart.html: /guides/start
  /docs/webhooks.html: /guides/webhooks
`,
  },
  facts: {
    certificate: { issuer: "Let's Encrypt R10", notAfter: ago(-64 * 24 * 3_600_000) },
    hsts: {
      ...{ maxAgeSeconds: 31_536_000, includesSubdomains: true, isPreload: false },
      until: ago(-365 * 24 * 3_600_000),
    },
    replaced: { type: 'A', name: HOSTNAME, value: '203.0.113.7', ttl: 3_600 },
    oldAddresses: ['203.0.113.7', '2001:db8::7'],
    ourAddresses: ['198.51.100.4', '2001:db8:1::4'],
  },
};

export const READY: RehearsalResult = {
  ...NOT_READY,
  verdict: 'ready',
  message:
    'Change the record of docs.example.com whenever you like. All 142 addresses that were looked at are here, too.',
  findings: NOT_READY.findings.filter(({ level }) => level === 'advice').slice(0, 1),
  comparison: {
    ...{ origin: `https://${HOSTNAME}`, found: 140, redirected: 2, missing: 0 },
    ...{ cutBy: null, excluded: 0, redirects: '' },
    pages: NOT_READY.comparison?.pages.filter(({ state }) => state !== 'missing') ?? [],
  },
};

export const rehearsal = (more: Partial<Rehearsal> = {}): Rehearsal => ({
  state: 'finished',
  requestedAt: ago(150_000),
  requestedBy: 'ada-1@example.com',
  finishedAt: ago(120_000),
  pagesSeen: 146,
  problem: null,
  result: NOT_READY,
  ...more,
});
