import { hash } from 'node:crypto';
import type { BuildInput, BuildLog, BuildResult } from '../artifact.ts';

export async function runBuild(
  input: BuildInput,
  log: BuildLog,
  signal: AbortSignal,
): Promise<BuildResult> {
  const text = Buffer.from(input.bytes).toString();
  const steps = ['parse', 'check', 'upgrade', 'render', 'compress'] as const;
  for (const step of steps) {
    log({ level: 'info', message: `Step ${step}`, step });
    await new Promise((r) => setTimeout(r, 300));
    if (signal.aborted) return { problems: [] };
  }
  if (!text.includes('openapi'))
    return {
      problems: [
        { message: '`openapi` is required: the version, such as 3.1.0.', path: '', line: 1 },
      ],
    };
  const blobs = new Map<string, Uint8Array>();
  const entry = (content: string, type: string) => {
    const bytes = Buffer.from(content);
    const h = hash('sha256', bytes, 'hex');
    blobs.set(h, bytes);
    return { hash: h, size: bytes.length, type };
  };
  const manifest = {
    version: 1 as const,
    title: 'T',
    contentSecurityPolicy: "default-src 'self'",
    files: {
      '/': entry(
        `<h1>Site ${hash('sha256', input.bytes, 'hex').slice(0, 8)}</h1>`,
        'text/html; charset=utf-8',
      ),
      '/404.html': entry('<h1>404</h1>', 'text/html; charset=utf-8'),
      '/openapi.json': entry(text, 'application/json'),
    },
  };
  return { artifact: { hash: hash('sha256', JSON.stringify(manifest), 'hex'), manifest, blobs } };
}
