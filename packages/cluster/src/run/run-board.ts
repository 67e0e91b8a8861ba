import { styleText } from 'node:util';
import { stopOnSignals } from '@petstore/service/shutdown.ts';
import { serveBoard } from '../board/board-server.ts';
import { startCluster } from '../cluster.ts';
import { Stage } from './stage.ts';

/** Starts the cluster with its clients and the board, and runs until a signal. */
export async function runBoard(port: number): Promise<void> {
  const shutdown = stopOnSignals();
  const say = (what: string) => process.stderr.write(`${what}\n`);
  try {
    const cluster = await startCluster(say);
    await shutdown.add(() => cluster.close());
    const stage = new Stage(cluster);
    stage.on('failure', (sentence) => say(`Must not happen: ${sentence}`));
    const board = await serveBoard(port, stage);
    await shutdown.add(() => board.close());
    say('clients start');
    await stage.begin();
    process.stdout.write(`
${styleText('bold', 'The cluster')} ${styleText('dim', '(in a network of its own; nothing reaches it from outside)')}

  Board     http://127.0.0.1:${board.port}
  API       ${cluster.enter} curl -H "Authorization: Bearer ${cluster.apiKey}" http://10.0.0.30/v1/pets
  Logs      ${cluster.folder}

  ${styleText('dim', 'Stop with Ctrl-C.')}

`);
  } catch (error) {
    const isNews = !shutdown.isUnderWay;
    await shutdown.stop();
    if (isNews) throw error;
  }
}
