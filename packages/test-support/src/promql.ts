/** Words of PromQL, as far as these files use them. */
const KEYWORDS = new Set([
  'and',
  'by',
  'on',
  'max',
  'sum',
  'rate',
  'increase',
  'histogram_quantile',
  'label_values',
]);

/** The names of metrics in an expression: words that are not in braces, not in brackets, and no label of a grouping. */
export function metricNames(expression: string): string[] {
  const bare = expression
    .replace(/\b(by|on)\s*\([^)]*\)/g, ' ')
    .replace(/\{[^}]*\}/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/^label_values\(([^,]*),.*$/, '$1');
  return [...bare.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*/g)]
    .map(([word]) => word)
    .filter((word) => !KEYWORDS.has(word));
}
