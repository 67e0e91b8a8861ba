/** A program whose user agent nobody knows, or that has none. */
export const OTHER_PROGRAMS = 'Other programs';

/** Markdown that a person reads, or copies for an assistant. */
export const BROWSERS = 'Browsers';

/**
 * Programs that say who they are, as their makers write it: assistants that read a page for a person, crawlers of models,
 * search engines, previews of links, tools. The first one whose word is in a user agent counts.
 */
const AGENTS: readonly (readonly [word: string, name: string])[] = [
  // Assistants, for a person that asked.
  ['chatgpt-user', 'ChatGPT-User'],
  ['claude-user', 'Claude-User'],
  ['claude-code', 'Claude Code'],
  ['perplexity-user', 'Perplexity-User'],
  ['mistralai-user', 'MistralAI-User'],
  ['google-notebooklm', 'NotebookLM'],
  ['gemini-deep-research', 'Gemini'],
  ['duckassistbot', 'DuckAssistBot'],
  ['cohere-ai', 'Cohere'],
  ['cursor', 'Cursor'],
  ['windsurf', 'Windsurf'],
  ['github-copilot', 'GitHub Copilot'],
  ['githubcopilot', 'GitHub Copilot'],
  // Crawlers of models and of their search.
  ['gptbot', 'GPTBot'],
  ['oai-searchbot', 'OAI-SearchBot'],
  ['claude-searchbot', 'Claude-SearchBot'],
  ['claudebot', 'ClaudeBot'],
  ['anthropic-ai', 'ClaudeBot'],
  ['perplexitybot', 'PerplexityBot'],
  ['google-extended', 'Google-Extended'],
  ['googleother', 'GoogleOther'],
  ['applebot-extended', 'Applebot'],
  ['meta-externalagent', 'Meta'],
  ['meta-externalfetcher', 'Meta'],
  ['bytespider', 'Bytespider'],
  ['ccbot', 'CCBot'],
  ['amazonbot', 'Amazonbot'],
  ['youbot', 'YouBot'],
  ['ai2bot', 'AI2Bot'],
  ['diffbot', 'Diffbot'],
  // Search engines.
  ['googlebot', 'Googlebot'],
  ['bingbot', 'Bingbot'],
  ['applebot', 'Applebot'],
  ['duckduckbot', 'DuckDuckBot'],
  ['yandex', 'Yandex'],
  ['baiduspider', 'Baidu'],
  ['petalbot', 'PetalBot'],
  ['seznambot', 'Seznam'],
  ['kagibot', 'Kagi'],
  ['ahrefs', 'Ahrefs'],
  ['semrush', 'Semrush'],
  ['mj12bot', 'Majestic'],
  ['archive.org_bot', 'Internet Archive'],
  // Previews of links.
  ['slackbot', 'Slack'],
  ['slack-imgproxy', 'Slack'],
  ['discordbot', 'Discord'],
  ['twitterbot', 'X'],
  ['facebookexternalhit', 'Facebook'],
  ['linkedinbot', 'LinkedIn'],
  ['telegrambot', 'Telegram'],
  ['whatsapp', 'WhatsApp'],
  ['skypeuripreview', 'Microsoft Teams'],
  // Tools. Browsers that a script drives say so.
  ['headlesschrome', 'Headless browsers'],
  ['lighthouse', 'Lighthouse'],
  ['uptimerobot', 'UptimeRobot'],
  ['pingdom', 'Pingdom'],
  ['curl/', 'curl'],
  ['wget/', 'Wget'],
  ['python', 'Python'],
  ['aiohttp', 'Python'],
  ['httpx', 'Python'],
  ['go-http-client', 'Go'],
  ['java/', 'Java'],
  ['okhttp', 'OkHttp'],
  ['axios', 'Node.js'],
  ['node-fetch', 'Node.js'],
  ['undici', 'Node.js'],
  ['postman', 'Postman'],
];

/** Words of programs that nobody has listed. */
const PROGRAM =
  /bot\b|crawl|spider|slurp|fetch|scan|monitor|preview|http|\bcompatible;|phantom|headless/i;

/** Longer ones are not a browser's. */
const MAX_LENGTH = 500;

/** User agents that are remembered; then all are forgotten, which costs one look at each again. */
const MAX_KNOWN = 2_000;

/** A function from a user agent to the name of a program; undefined for a browser's. */
export function agentNames(): (userAgent: string | undefined) => string | undefined {
  /** Empty: a browser's. */
  const known = new Map<string, string>();
  return (userAgent) => {
    if (userAgent === undefined || userAgent.length > MAX_LENGTH) return OTHER_PROGRAMS;
    const name = known.get(userAgent);
    if (name !== undefined) return name === '' ? undefined : name;
    if (known.size === MAX_KNOWN) known.clear();
    const found = agentOf(userAgent);
    known.set(userAgent, found ?? '');
    return found;
  };
}

function agentOf(userAgent: string): string | undefined {
  const lower = userAgent.toLowerCase();
  const listed = AGENTS.find(([word]) => lower.includes(word));
  if (listed) return listed[1];
  const isBrowser = userAgent.startsWith('Mozilla/5.0 (') && !PROGRAM.test(userAgent);
  return isBrowser ? undefined : OTHER_PROGRAMS;
}
