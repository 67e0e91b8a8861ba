import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeInWords } from '../../web/src/deploys/place.ts';

test('a problem is placed by its operation, component or file, and the rest within it', () => {
  for (const [path, what, within] of [
    ['', 'The whole document', ''],
    ['/paths/~1bikes~1{bikeId}/get', 'GET /bikes/{bikeId}', ''],
    ['/paths/~1a~0b/post/responses/200', 'POST /a~b', 'responses › 200'],
    ['/paths/~1a~01/delete', 'DELETE /a~1', ''],
    ['/paths/~1bikes/parameters/0', '/bikes', 'parameters › 0'],
    ['/paths/~1bikes', '/bikes', ''],
    ['/paths', 'paths', ''],
    ['/components/schemas/Bike/type', 'components › schemas › Bike', 'type'],
    ['/webhooks/newBike/post/summary', 'webhooks › newBike', 'post › summary'],
    ['/info/title', 'info › title', ''],
    ['guides/start.md', 'guides/start.md', ''],
  ]) {
    assert.deepEqual(placeInWords(path ?? ''), { what, within }, path);
  }
});
