import type { MediaData, OperationData } from './operation-data.ts';

/** An example of a body: the places of its media type and of itself, which begin with 0. */
export type ExampleChoice = readonly [media: number, example: number];

/** A media type with one of its examples in place of the first. */
export function withExample(media: MediaData, at: number): MediaData {
  if (at === 0) return media;
  const { example: _first, ...rest } = media;
  const text = media.examples?.[at]?.text;
  return { ...rest, ...(text !== undefined && { example: text }) };
}

/** An operation whose samples have this example: its media type is the first one. */
export function withChoice(data: OperationData, [at, example]: ExampleChoice): OperationData {
  const { body } = data;
  const chosen = body?.content[at];
  if (body === undefined || chosen === undefined) return data;
  const others = body.content.filter((media) => media !== chosen);
  return { ...data, body: { ...body, content: [withExample(chosen, example), ...others] } };
}
