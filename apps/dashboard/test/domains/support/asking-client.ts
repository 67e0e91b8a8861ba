import { Resolver } from 'node:dns/promises';
import { request } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import type { Asked, AskingOptions } from './asking.ts';

// A client that asks a site again and again, each time with a new connection: it looks the name up at its resolver, and
// takes nothing but a page over TLS with a certificate for the name.

const { resolver: server, hostname, port, ca, everyMs } = workerData as AskingOptions;

const asked: Asked = { count: 0, pages: {}, last: '', failures: [] };

async function ask(): Promise<void> {
  const at = Date.now();
  try {
    const [address = ''] = await addressOf(hostname);
    const page = await pageAt(address);
    asked.pages[page] = (asked.pages[page] ?? 0) + 1;
    asked.last = page;
  } catch (error) {
    asked.failures.push(`${new Date(at).toISOString()} ${error}`);
  }
  asked.count += 1;
}

function addressOf(name: string): Promise<string[]> {
  // A new one for each question: an older one waits only a few times as long as its server usually takes.
  const resolver = new Resolver({ timeout: 30_000, tries: 2 });
  resolver.setServers([server]);
  return resolver.resolve4(name);
}

function pageAt(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: `${hostname}:${port}` };
    const options = { host, port, servername: hostname, ca, headers, agent: false };
    request({ ...options, timeout: 10_000 })
      .on('error', reject)
      .on('timeout', () => reject(new Error('timeout')))
      .on('response', async (response) => {
        const text = (await response.setEncoding('utf8').toArray().catch(reject))?.join('') ?? '';
        const title = /<title>([^<]*)<\/title>/.exec(text)?.[1] ?? text.slice(0, 80);
        if (response.statusCode === 200) resolve(title);
        else reject(new Error(`status ${response.statusCode}`));
      })
      .end();
  });
}

const underWay = new Set<Promise<void>>();
const timer = setInterval(() => {
  const one = ask().finally(() => underWay.delete(one));
  underWay.add(one);
}, everyMs);

parentPort?.on('message', async (message: 'look' | 'end') => {
  if (message === 'end') {
    clearInterval(timer);
    await Promise.all(underWay);
  }
  parentPort?.postMessage(asked);
  if (message === 'end') parentPort?.close();
});
