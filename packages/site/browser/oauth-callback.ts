// The page to which an authorization server sends the reader back. It hands its answer to the panel that waits for it.

import { CALLBACK_CHANNEL } from './panel/callback.ts';

const parameters = new URLSearchParams(location.search);
// The implicit flow answers in the fragment.
for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
  parameters.set(name, value);
// The code is of no more use, and need not stay in the history.
history.replaceState(null, '', location.pathname);

const channel = new BroadcastChannel(CALLBACK_CHANNEL);
channel.postMessage(Object.fromEntries(parameters));
channel.close();
window.close();
