// Shows what the checker sees, once a second, and plays faults.

const SECONDS = 180;
const KEPT_EVENTS = 200;

const seconds = [];
let leader = 0;

const events = new EventSource('/events');
events.addEventListener('second', ({ data }) => showSecond(JSON.parse(data)));
events.addEventListener('event', ({ data }) => showEvent(JSON.parse(data)));

for (const button of document.querySelectorAll('[data-fault]'))
  button.addEventListener('click', () => toggle(button));

async function toggle(button) {
  const refusal = document.querySelector('#refusal');
  button.disabled = true;
  const action = button.ariaPressed === 'true' ? 'undo' : 'apply';
  const response = await fetch(`/faults/${button.dataset.fault}/${action}`, { method: 'POST' });
  const { message } = response.ok ? {} : await response.json();
  refusal.textContent = message ?? '';
  refusal.hidden = message === undefined;
  button.disabled = false;
}

function showSecond({ state, measured, applied, failures }) {
  const { reads, writes, acknowledged } = measured;
  const unavailable = reads.unavailable + writes.unavailable;
  show('reads', reads.ok);
  show('reads-p99', reads.ok ? reads.p99 : '–');
  show('writes', writes.ok);
  show('writes-p99', writes.ok ? writes.p99 : '–');
  show('unavailable', unavailable, unavailable > 0);
  show('acknowledged', acknowledged);
  show('failures', failures, failures > 0);
  leader = Math.max(0, ...state.databases.filter(isPrimary).map(({ position = 0 }) => position));
  for (const database of state.databases) showMachine(database.name, ...describe(database));
  for (const { name, reads, writes } of state.apis) {
    const [canRead, canWrite] = [reads ? 'reads' : 'no reads', writes ? 'writes' : 'no writes'];
    showMachine(name, `${canRead}, ${canWrite}`, reads && writes);
  }
  for (const { name, works } of state.balancers)
    showMachine(name, works ? 'balances' : 'away', works);
  for (const button of document.querySelectorAll('[data-fault]'))
    button.ariaPressed = applied.includes(button.dataset.fault) ? 'true' : null;
  seconds.push([reads.ok + writes.ok, unavailable]);
  if (seconds.length > SECONDS) seconds.shift();
  draw();
}

function isPrimary({ role }) {
  return role === 'primary';
}

/** The state that a database machine reports, and whether it is healthy. */
function describe({ role, state, timeline, position, isSynchronous }) {
  if (role === undefined) return ['silent', false];
  const what = `${state}, timeline ${timeline ?? '?'}`;
  const isWell = state === 'running';
  if (isPrimary({ role })) return [`primary, ${what}`, isWell];
  const kind = isSynchronous ? 'synchronous standby' : 'standby';
  const lag =
    position === undefined || leader === 0
      ? ''
      : `, ${Math.max(0, leader - position)} bytes behind`;
  return [`${kind}, ${what}${lag}`, isWell];
}

function showMachine(name, text, isWell) {
  const card = document.getElementById(name);
  card.querySelector('.role').textContent = text;
  card.classList.toggle('ill', !isWell);
  card.classList.toggle('primary', text.startsWith('primary'));
}

function show(id, value, isBad = false) {
  const element = document.getElementById(id);
  element.textContent = value;
  element.classList.toggle('bad', isBad);
}

function showEvent({ at, text, isFailure }) {
  const item = document.createElement('li');
  const time = document.createElement('time');
  time.textContent = new Date(at).toLocaleTimeString('en-GB');
  item.append(time, ` ${text}`);
  item.classList.toggle('bad', isFailure);
  const list = document.querySelector('#events');
  list.prepend(item);
  while (list.children.length > KEPT_EVENTS) list.lastChild.remove();
}

function draw() {
  const most = Math.max(1, ...seconds.map(([ok, not]) => ok + not));
  const height = (count) => (60 * count) / most;
  const from = SECONDS - seconds.length;
  const bars = seconds.map(([ok, not], i) => {
    const at = from + i;
    const good = `<rect class="good" x="${at}" width="0.9" y="${60 - height(ok)}" height="${height(ok)}"/>`;
    const bad = `<rect class="bad" x="${at}" width="0.9" y="${60 - height(ok + not)}" height="${height(not)}"/>`;
    return good + bad;
  });
  document.querySelector('#chart').innerHTML = bars.join('');
}
