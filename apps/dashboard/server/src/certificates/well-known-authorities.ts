/** Certificate authorities by the names that CAA records have for them, as each publishes them; the first for new records. */
export const WELL_KNOWN_AUTHORITIES: readonly {
  readonly name: string;
  readonly identities: readonly string[];
}[] = [
  { name: "Let's Encrypt", identities: ['letsencrypt.org'] },
  {
    name: 'ZeroSSL and Sectigo',
    identities: [
      'sectigo.com',
      'comodoca.com',
      'comodo.com',
      'usertrust.com',
      'trust-provider.com',
    ],
  },
  { name: 'Google Trust Services', identities: ['pki.goog'] },
  {
    name: 'DigiCert',
    identities: ['digicert.com', 'geotrust.com', 'rapidssl.com', 'thawte.com', 'symantec.com'],
  },
  {
    name: 'Amazon',
    identities: ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com'],
  },
  { name: 'GlobalSign', identities: ['globalsign.com'] },
  { name: 'SSL.com', identities: ['ssl.com'] },
  { name: 'Buypass', identities: ['buypass.com'] },
  { name: 'GoDaddy', identities: ['godaddy.com', 'starfieldtech.com'] },
  { name: 'Actalis', identities: ['actalis.it'] },
];
