/** What the frame is asked for. */
export interface DrawingRequest {
  readonly code: string;
  /** Of its place, in CSS pixels. Charts fill it. */
  readonly width: number;
  readonly colors: DrawingColors;
}

/** Colours of the page, as CSS has them. */
export interface DrawingColors {
  readonly paper: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly accent: string;
}

/** A drawn diagram, without anything that a page's policy forbids. */
export interface Drawing {
  /** One `svg` element. What was an inline style is in `data-style`. */
  readonly markup: string;
  readonly style: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** What its author called it, for those who do not see it; empty for nothing. */
  readonly title: string;
}

/** The colours that a drawing was made for. */
export type DrawnFor = Pick<DrawingColors, 'paper' | 'ink'>;

export type DrawingResponse = Drawing | { readonly error: string };
