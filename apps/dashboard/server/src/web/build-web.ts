import { join } from 'node:path';
import { build } from 'vite';
import { compressFiles } from './compress-files.ts';

// The process that builds the web UI, from one folder into another. Vite would otherwise stay in the service's memory.

const [source = '', outDir = ''] = process.argv.slice(2);

// The service is gone, and nobody waits for the build.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

await build({
  configFile: join(source, 'vite.config.ts'),
  logLevel: 'error',
  mode: 'production',
  build: { outDir },
});
await compressFiles(outDir);
process.exit();
