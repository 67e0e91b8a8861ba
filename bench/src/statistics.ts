/** A figure over the rounds. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** `values` must hold at least one. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    min: at(0),
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    max: at(sorted.length - 1),
  };
}

/** The value below which a part of the values lies, by the nearest rank; NaN of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** The spread of each figure of the samples, of which there is at least one. A figure that none has is left out. */
export function spreadsOf<Figure extends string>(
  samples: readonly Readonly<Record<Figure, number | undefined>>[],
): Record<Figure, Spread> {
  const figures = Object.keys(samples[0] ?? {}) as Figure[];
  const spreads = figures.flatMap((figure) => {
    const values = samples.map((own) => own[figure]).filter((value) => value !== undefined);
    return values.length > 0 ? [[figure, spread(values)]] : [];
  });
  return Object.fromEntries(spreads);
}

/** A figure as a multiple of the same in the other samples, round by round. */
export function ratioOf<Figure extends string>(
  figure: Figure,
  samples: readonly Readonly<Record<Figure, number>>[],
  others: readonly Readonly<Record<Figure, number>>[],
): Spread {
  return spread(samples.map((own, at) => own[figure] / (others[at]?.[figure] ?? Number.NaN)));
}
