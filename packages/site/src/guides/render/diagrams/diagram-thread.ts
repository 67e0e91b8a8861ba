import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import { MERMAID } from '../../../site/mermaid.ts';
import { type ReadDiagram, readDiagram } from './read-diagram.ts';

// The thread that reads diagrams as browsers will. Mermaid is made for pages: its sanitizer wants a window when it is
// loaded, and without a document of its own it passes texts on as they are. Nothing is drawn here.

const document = { nodeType: 9, createElement: () => ({}), implementation: {} };
Object.assign(globalThis, { window: { document, Element: class {}, addEventListener: () => {} } });

const { default: mermaid } = await import(pathToFileURL(MERMAID).href);
mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
// It knows no kind of diagram until it has parsed one.
await mermaid.parse('info');

parentPort?.on('message', async (code: string) => {
  const read: ReadDiagram = await readDiagram(mermaid.mermaidAPI.getDiagramFromText, code);
  parentPort?.postMessage(read);
});
parentPort?.postMessage('ready');
