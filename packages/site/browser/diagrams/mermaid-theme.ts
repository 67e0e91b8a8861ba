import { hex, mix, type Rgb } from '../../src/site/rgb.ts';
import { brightness, fromHue, hueOf, rgbOf } from './colors.ts';
import type { DrawingColors } from './drawing.ts';

/** Fonts of the reader's system: those of a site are not in the frame, which would measure other letters. */
const FONTS =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif';

/** In degrees from the accent: neighbours are easy to tell apart. */
const HUES = [0, 150, 45, 285, 95, 205, 330, 20, 250, 120, 60, 180];

/** Mermaid's settings for the colours of a page. What a diagram says of itself comes before them. */
export function mermaidTheme(colors: DrawingColors): object {
  const paper = rgbOf(colors.paper);
  const ink = rgbOf(colors.ink);
  const accent = rgbOf(colors.accent);
  const isDark = brightness(paper) < brightness(ink);
  const mixed = (color: Rgb, share: number) => hex(mix(paper, color, share));
  const tint = mixed(accent, isDark ? 0.24 : 0.1);
  const border = mixed(accent, isDark ? 0.7 : 0.5);
  const faint = mixed(ink, isDark ? 0.06 : 0.03);
  const frame = mixed(ink, isDark ? 0.28 : 0.18);
  const text = hex(ink);
  const line = hex(rgbOf(colors.soft));
  const note = isDark
    ? hex(mix(paper, [240, 190, 70], 0.22))
    : hex(mix(paper, [240, 190, 70], 0.25));
  const noteBorder = hex(mix(paper, [220, 165, 40], isDark ? 0.5 : 0.7));
  const [hue, saturation] = hueOf(accent);
  const strength = Math.min(Math.max(saturation, 0.45), isDark ? 1 : 0.65);
  const shade = (at: number) => {
    const turned = fromHue((hue + (HUES[at % HUES.length] ?? 0)) % 360, strength);
    // On light paper a colour of full brightness glares.
    return hex(isDark ? mix(paper, turned, 0.5) : mix(paper, mix(ink, turned, 0.85), 0.45));
  };
  const series = (name: string, count: number, from = 0) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`${name}${at + from}`, shade(at)]),
    );
  const texts = (name: string, count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at + from}`, text]));
  return {
    theme: 'base',
    // C4 writes its grey into the elements.
    themeCSS: `text[fill="#444444"] { fill: ${text}; } [stroke="#444444"] { stroke: ${line}; }`,
    fontFamily: FONTS,
    themeVariables: {
      ...{ darkMode: isDark, fontFamily: FONTS, fontSize: '15px', background: hex(paper) },
      ...{ primaryColor: tint, primaryTextColor: text, primaryBorderColor: border },
      ...{ secondaryColor: faint, secondaryTextColor: text, secondaryBorderColor: frame },
      ...{ tertiaryColor: faint, tertiaryTextColor: text, tertiaryBorderColor: frame },
      ...{ mainBkg: tint, nodeBorder: border, nodeTextColor: text, textColor: text },
      ...{ lineColor: line, arrowheadColor: line, defaultLinkColor: line, titleColor: text },
      ...{ clusterBkg: faint, clusterBorder: frame, edgeLabelBackground: hex(paper) },
      ...{ noteBkgColor: note, noteTextColor: text, noteBorderColor: noteBorder },
      ...{ actorLineColor: frame, signalColor: text, signalTextColor: text },
      ...{ labelBoxBkgColor: tint, labelBoxBorderColor: border, loopTextColor: text },
      ...{ activationBkgColor: mixed(ink, 0.12), activationBorderColor: frame },
      ...{ sequenceNumberColor: hex(paper), compositeBackground: faint, altBackground: faint },
      ...{ stateBkg: tint, stateLabelColor: text, transitionColor: line, classText: text },
      ...{ specialStateColor: line, innerEndBackground: line, errorBkgColor: note },
      ...{ sectionBkgColor: faint, altSectionBkgColor: hex(paper), sectionBkgColor2: faint },
      ...{ excludeBkgColor: faint, vertLineColor: frame },
      ...{ taskBkgColor: shade(0), taskBorderColor: border, taskTextColor: text },
      ...{ taskTextDarkColor: text, taskTextLightColor: text, taskTextOutsideColor: text },
      ...{ activeTaskBkgColor: shade(1), activeTaskBorderColor: frame, gridColor: frame },
      ...{ doneTaskBkgColor: mixed(ink, 0.12), doneTaskBorderColor: frame },
      ...{ critBkgColor: shade(6), critBorderColor: frame, todayLineColor: hex(accent) },
      ...{ pieStrokeColor: hex(paper), pieOuterStrokeWidth: '0px', pieOpacity: '1' },
      ...{ pieTitleTextColor: text, pieSectionTextColor: text, pieLegendTextColor: text },
      ...{ relationColor: line, relationLabelColor: text, relationLabelBackground: hex(paper) },
      ...{ requirementBackground: tint, requirementBorderColor: border },
      ...{ requirementTextColor: text, attributeBackgroundColorOdd: hex(paper) },
      ...{ attributeBackgroundColorEven: faint, rowOdd: hex(paper), rowEven: faint },
      ...{ archEdgeColor: line, archEdgeArrowColor: line, archGroupBorderColor: frame },
      ...{ personBkg: tint, personBorder: border, commitLabelColor: text },
      ...{ commitLabelBackground: faint, tagLabelColor: text, tagLabelBackground: note },
      ...{ tagLabelBorder: noteBorder, quadrant1Fill: shade(0), quadrant2Fill: faint },
      ...{ quadrant3Fill: hex(paper), quadrant4Fill: faint, quadrantPointFill: hex(accent) },
      ...{ quadrant1TextFill: text, quadrant2TextFill: text, quadrant3TextFill: text },
      ...{ quadrant4TextFill: text, quadrantPointTextFill: text, quadrantTitleFill: text },
      ...{ quadrantXAxisTextFill: text, quadrantYAxisTextFill: text },
      ...{ quadrantInternalBorderStrokeFill: frame, quadrantExternalBorderStrokeFill: frame },
      ...series('cScale', 12),
      ...texts('cScaleLabel', 12),
      ...series('pie', 12, 1),
      ...series('git', 8),
      ...texts('gitBranchLabel', 8),
      ...series('fillType', 8),
      ...series('actor', 6),
      packet: {
        ...{ startByteColor: text, endByteColor: text, labelColor: text, titleColor: text },
        ...{ blockStrokeColor: frame, blockFillColor: faint },
      },
      xyChart: {
        backgroundColor: hex(paper),
        ...{ titleColor: text, dataLabelColor: text },
        ...{ xAxisLabelColor: text, xAxisTitleColor: text, xAxisTickColor: frame },
        ...{ yAxisLabelColor: text, yAxisTitleColor: text, yAxisTickColor: frame },
        ...{ xAxisLineColor: frame, yAxisLineColor: frame },
        plotColorPalette: [0, 1, 2, 3, 4, 5, 6].map(shade).join(', '),
      },
    },
  };
}
