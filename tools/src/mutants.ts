import { dirname } from 'node:path';
import ts from 'typescript';
import { type Mutant, mutated } from './mutant.ts';

const { SyntaxKind } = ts;

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '>>': '<<',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '++': '--',
  '--': '++',
};

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  ceil: 'floor',
  floor: 'ceil',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
};

/** Calls of these are left out, so that what they were called on goes on unchanged. */
const STEPS = new Set(['filter', 'slice', 'sort', 'trim', 'replace', 'replaceAll', 'normalize']);

/**
 * The mutants of a TypeScript source, in its order. Texts are mutated as well, messages among them: they tell people
 * what to do. Descriptions of schemas are not, since they do nothing.
 */
export function mutantsOf(source: string): Mutant[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.ESNext, true);
  const mutants = new Map<string, Mutant>();
  const replace = (start: number, end: number, text: string) => {
    if (source.slice(start, end) !== text) {
      mutants.set(`${start} ${end} ${text}`, { start, end, text });
    }
  };
  const replaceNode = (node: ts.Node, text: string) =>
    replace(node.getStart(file), node.getEnd(), text);

  // `as`, so that the compiler does not take what follows for unreachable.
  const condition = (node: ts.Expression, values = [true, false]) => {
    for (const value of values) replaceNode(node, `(${value} as boolean)`);
  };

  const visitBinary = ({ left, operatorToken, right }: ts.BinaryExpression) => {
    const swapped = OPERATORS[operatorToken.getText(file)];
    if (swapped !== undefined) replaceNode(operatorToken, swapped);
    const { kind } = operatorToken;
    const isLogical =
      kind === SyntaxKind.AmpersandAmpersandToken ||
      kind === SyntaxKind.BarBarToken ||
      kind === SyntaxKind.QuestionQuestionToken;
    if (isLogical) {
      replace(left.getEnd(), right.getEnd(), '');
      replace(left.getStart(file), right.getStart(file), '');
    }
  };

  const visitCall = (node: ts.CallExpression) => {
    if (!ts.isPropertyAccessExpression(node.expression)) return;
    const { expression, name } = node.expression;
    const swapped = METHODS[name.text];
    if (swapped !== undefined) replaceNode(name, swapped);
    if (STEPS.has(name.text)) replace(expression.getEnd(), node.getEnd(), '');
  };

  const visitRegExp = (node: ts.Node) => {
    const text = node.getText(file);
    const flagsAt = text.lastIndexOf('/') + 1;
    const start = node.getStart(file);
    const isEscaped = (at: number) => text[at - 1] === '\\';
    for (const [at, character] of [...text.slice(0, flagsAt)].entries()) {
      const isStart = character === '^' && text[at - 1] !== '[';
      if ((isStart || character === '$') && !isEscaped(at)) replace(start + at, start + at + 1, '');
    }
    if (text.slice(flagsAt).includes('i')) {
      replace(start + flagsAt, node.getEnd(), text.slice(flagsAt).replace('i', ''));
    }
  };

  const isDescription = (node: ts.Node) =>
    ts.isPropertyAssignment(node) && node.name.getText(file) === 'description';

  const visit = (node: ts.Node): void => {
    // What is said of types is gone when the program runs.
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isModuleDeclaration(node)) return;
    if (isDescription(node)) return;
    if (ts.isObjectLiteralExpression(node) && node.properties.every(isDescription)) return;
    if (ts.isBinaryExpression(node)) visitBinary(node);
    else if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const operator = ts.tokenToString(node.operator) ?? '';
      const at = ts.isPrefixUnaryExpression(node)
        ? node.getStart(file)
        : node.getEnd() - operator.length;
      if (operator === '!') replace(at, at + 1, '');
      else if (operator.length === 2) replace(at, at + 2, OPERATORS[operator] ?? operator);
    } else if (ts.isNumericLiteral(node)) replaceNode(node, `${Number(node.text) + 1}`);
    else if (ts.isBigIntLiteral(node)) replaceNode(node, `${BigInt(node.text.slice(0, -1)) + 1n}n`);
    else if (ts.isStringLiteral(node)) replaceNode(node, "''");
    else if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      replaceNode(node, '``');
    } else if (node.kind === SyntaxKind.TrueKeyword) replaceNode(node, 'false');
    else if (node.kind === SyntaxKind.FalseKeyword) replaceNode(node, 'true');
    else if (node.kind === SyntaxKind.RegularExpressionLiteral) visitRegExp(node);
    else if (ts.isIfStatement(node)) condition(node.expression);
    else if (ts.isWhileStatement(node)) condition(node.expression, [false]);
    else if (ts.isForStatement(node) && node.condition) condition(node.condition, [false]);
    else if (ts.isConditionalExpression(node)) condition(node.condition);
    else if (ts.isArrowFunction(node) && !ts.isBlock(node.body))
      replaceNode(node.body, 'undefined');
    else if (ts.isReturnStatement(node) && node.expression)
      replaceNode(node.expression, 'undefined');
    else if (
      ts.isExpressionStatement(node) ||
      ts.isThrowStatement(node) ||
      ts.isBreakOrContinueStatement(node)
    ) {
      replaceNode(node, ';');
    } else if (ts.isArrayLiteralExpression(node)) replaceNode(node, '[]');
    else if (ts.isObjectLiteralExpression(node)) replaceNode(node, '{}');
    else if (ts.isCallExpression(node)) visitCall(node);
    if (node.kind === SyntaxKind.QuestionDotToken) {
      const next = source[node.getEnd()];
      replaceNode(node, next === '(' || next === '[' ? '' : '.');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...mutants.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** A file's mutants. `path` is absolute. */
export interface MutantsOfFile {
  readonly path: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

/**
 * Those mutants of files that the compiler accepts: each is a file of its own for it, beside the original.
 * `configFile` is that of a tsconfig.json. Throws where it refuses an original.
 */
export function compilable(files: readonly MutantsOfFile[], configFile: string): MutantsOfFile[] {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(configFile));
  // A mutant that no longer uses a name is one that tests should find.
  const settings = { ...options, noUnusedLocals: false, noUnusedParameters: false };
  const nameOf = (path: string, index: number) => path.replace(/\.ts$/, `.mutant-${index}.ts`);
  const copies = new Map(
    files.flatMap(({ path, source, mutants }) =>
      mutants.map((mutant, index) => [nameOf(path, index), mutated(source, mutant)] as const),
    ),
  );
  const host = ts.createCompilerHost(settings);
  const { getSourceFile } = host;
  host.getSourceFile = (name, options) => {
    const text = copies.get(name);
    if (text === undefined) return getSourceFile(name, options);
    return ts.createSourceFile(name, text, options);
  };
  const program = ts.createProgram([...fileNames, ...copies.keys()], settings, host);
  const isAccepted = (name: string) => {
    const file = program.getSourceFile(name);
    const problems = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ];
    return problems.length === 0;
  };
  for (const { path } of files) {
    if (!isAccepted(path)) throw new Error(`${path} has errors of its own. Run npm run tsc .`);
  }
  return files.map(({ path, source, mutants }) => ({
    path,
    source,
    mutants: mutants.filter((_, index) => isAccepted(nameOf(path, index))),
  }));
}
