#!/usr/bin/env node
// Plain JavaScript, so that an old Node can read far enough to say what it lacks: the rest of the
// program is TypeScript, which Node runs as it is only from version 24 on.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `petstore needs Node 24 or newer; this is Node ${process.versions.node}. ` +
      'After `npm ci`, put node_modules/.bin first in PATH: it holds one.\n',
  );
  process.exit(1);
}
await import('../src/main.ts');
