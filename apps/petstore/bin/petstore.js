#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A checkout runs its source as it is. The package has no source, since Node strips no types inside
// node_modules: there scripts/build.ts has made dist/.
const folder = new URL('../', import.meta.url);
const isCheckout = existsSync(new URL('src/main.ts', folder));
const isBuilt = existsSync(new URL('dist/main.js', folder));

if (isCheckout || isBuilt) {
  const { start } = await import(isCheckout ? '@petstore/service/start.js' : '../dist/launch.js');
  await start({
    name: 'petstore',
    folder,
    main: isCheckout ? 'src/main.ts' : 'dist/main.js',
    services: ['serve'],
    ...(!isCheckout && { whereNode: 'Install one from https://nodejs.org.' }),
  });
} else {
  // npm packs without a word what it was told not to build.
  process.stderr.write(
    'petstore: This package was packed without its program. In the repository, pack it with: npm run package\n',
  );
  process.exitCode = 1;
}
