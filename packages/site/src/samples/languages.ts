/** The languages of code samples, by their ids, in the order of the chooser. The first is in the page itself. */
export const SAMPLE_LANGUAGES = {
  curl: 'curl',
  javascript: 'JavaScript',
  node: 'Node.js',
  python: 'Python',
  go: 'Go',
  java: 'Java',
  kotlin: 'Kotlin',
  csharp: 'C#',
  php: 'PHP',
  ruby: 'Ruby',
  rust: 'Rust',
  swift: 'Swift',
  powershell: 'PowerShell',
  http: 'HTTP',
} as const;

export type SampleLanguage = keyof typeof SAMPLE_LANGUAGES;

/** Stands for the site's own origin, which is known in a browser alone. */
export const OWN_ORIGIN = 'https://YOUR_HOST';
