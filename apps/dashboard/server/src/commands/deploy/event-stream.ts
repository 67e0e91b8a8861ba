/** An event of a stream of server-sent events (WHATWG HTML, section 9.2), as far as the dashboard uses them. */
interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** The server-sent events of a response, as they arrive. `onData` is called whenever bytes arrive, comments included. */
export async function* readEvents(
  response: Response,
  onData: () => void,
): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    onData();
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.replace(/:.*$/s, ''), line.replace(/^[^:]*: ?/, '')]),
      );
      const data = fields.get('data');
      if (data !== undefined) yield { event: fields.get('event') ?? 'message', data };
    }
  }
}
