import { UserError } from '@petstore/service/user-error.ts';
import { parseAst } from 'rolldown/parseAst';
import { ImportedValue, type Place } from './imported-value.ts';

/** A part of a program that is no literal, so that only running it would tell its value. */
export interface Computed extends Place {
  /** Its place in what the program exports: `themeConfig.navbar.items`. */
  readonly path: string;
}

/** What a program exports by default, as far as it is written as literals. */
export interface ScriptValue {
  readonly value: ImportedValue;
  readonly computed: readonly Computed[];
}

/** A node of a program, as ESTree has it. */
interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/** Constants that refer to others are followed as deep. */
const MAX_DEPTH = 100;

/**
 * Reads the literals that a JavaScript or TypeScript program exports by default (`export default`, `module.exports`).
 * The program is parsed, and never run. Throws UserError, with the line, where it cannot be parsed.
 */
export function readScript(text: string, file: string): ScriptValue {
  const program = parse(text, file);
  const constants = constantsOf(program);
  const computed: Computed[] = [];
  const lineAt = lineFinder(text);
  const placeOf = ({ start }: AstNode): Place => ({ file, line: lineAt(start) });
  const unknown = (node: AstNode, path: string): ImportedValue => {
    computed.push({ ...placeOf(node), path });
    return new ImportedValue(undefined, placeOf(node));
  };

  const read = (node: AstNode, path: string, depth: number): ImportedValue => {
    const place = placeOf(node);
    if (depth > MAX_DEPTH) return unknown(node, path);
    const inner = innerNode(node, constants);
    if (inner) return read(inner, path, depth + 1);
    const literal = literalOf(node);
    if (literal) return new ImportedValue(literal.value, place);
    if (node.type === 'ArrayExpression') {
      const items = (node.elements as (AstNode | null)[]).flatMap((element, index) => {
        if (!element) return [];
        if (element.type !== 'SpreadElement')
          return [read(element, `${path}[${index}]`, depth + 1)];
        return read(element.argument as AstNode, `${path}[${index}]`, depth + 1).items;
      });
      return new ImportedValue(items, place);
    }
    if (node.type === 'ObjectExpression') {
      const members = new Map<string, ImportedValue>();
      for (const property of node.properties as AstNode[]) {
        if (property.type === 'SpreadElement') {
          const spread = read(property.argument as AstNode, path, depth + 1);
          for (const [key, value] of spread.members) members.set(key, value);
          continue;
        }
        const key = property.computed ? undefined : keyOf(property.key as AstNode);
        if (key === undefined) unknown(property, path);
        else
          members.set(
            key,
            read(property.value as AstNode, path === '' ? key : `${path}.${key}`, depth + 1),
          );
      }
      return new ImportedValue(members, place);
    }
    return unknown(node, path);
  };

  const exported = exportOf(program);
  if (!exported)
    throw new UserError(`${file} exports nothing by default, so it is no configuration.`);
  return { value: read(exported, '', 0), computed };
}

function parse(text: string, file: string): AstNode {
  const lang = /\.[cm]?ts$/.test(file) ? 'ts' : 'jsx';
  try {
    return parseAst(text, { lang }) as unknown as AstNode;
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    throw new UserError(`${file} cannot be parsed: ${first.replace(/\.$/, '')}.`);
  }
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

const statementsOf = (program: AstNode) => program.body as AstNode[];

/** The values of a program's constants, by name. */
function constantsOf(program: AstNode): ReadonlyMap<string, AstNode> {
  const constants = new Map<string, AstNode>();
  for (const statement of statementsOf(program)) {
    const own = (statement.declaration as AstNode | null | undefined) ?? statement;
    if (own.type !== 'VariableDeclaration') continue;
    for (const { id, init } of own.declarations as { id: AstNode; init: AstNode | null }[])
      if (id.type === 'Identifier' && init) constants.set(String(id.name), init);
  }
  return constants;
}

function exportOf(program: AstNode): AstNode | undefined {
  for (const statement of statementsOf(program)) {
    if (statement.type === 'ExportDefaultDeclaration') return statement.declaration as AstNode;
    const expression = statement.expression as AstNode | undefined;
    if (expression?.type !== 'AssignmentExpression') continue;
    const left = expression.left as AstNode;
    const object = left.object as AstNode | undefined;
    const property = left.property as AstNode | undefined;
    if (object?.name === 'module' && property?.name === 'exports')
      return expression.right as AstNode;
  }
  return undefined;
}

/** What a node stands for: the value of a constant, what a type is put on, the file that a call resolves. */
function innerNode(node: AstNode, constants: ReadonlyMap<string, AstNode>): AstNode | undefined {
  const wrappers = [
    ...['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion'],
    'ParenthesizedExpression',
  ];
  if (wrappers.includes(node.type)) return node.expression as AstNode;
  if (node.type === 'Identifier') return constants.get(String(node.name));
  if (node.type !== 'CallExpression') return undefined;
  const callee = node.callee as AstNode;
  const [argument, second] = node.arguments as AstNode[];
  if (argument && isOwnFolder(argument)) return second;
  const object = callee.object as AstNode | undefined;
  const isRequire = callee.name === 'require' || object?.name === 'require';
  return isRequire ? argument : undefined;
}

/** `__dirname` or `import.meta.dirname`, in front of a path: `path.resolve(__dirname, './sidebars.js')`. */
const isOwnFolder = ({ type, name, object, property }: AstNode): boolean =>
  (type === 'Identifier' && name === '__dirname') ||
  ((object as AstNode | undefined)?.type === 'MetaProperty' &&
    (property as AstNode | undefined)?.name === 'dirname');

/** A text, a number or a truth value. */
function literalOf(node: AstNode): { value: string | number | boolean | undefined } | undefined {
  if (node.type === 'Literal') {
    const { value } = node;
    const isKnown = ['string', 'number', 'boolean'].includes(typeof value);
    return { value: isKnown ? (value as string | number | boolean) : undefined };
  }
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const { value } = (node.argument as AstNode) ?? {};
    return typeof value === 'number' ? { value: -value } : undefined;
  }
  if (node.type === 'TemplateLiteral' && (node.expressions as AstNode[]).length === 0) {
    const [quasi] = node.quasis as { value: { cooked: string } }[];
    return { value: quasi?.value.cooked ?? '' };
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [literalOf(node.left as AstNode), literalOf(node.right as AstNode)];
    const isText = typeof left?.value === 'string' && typeof right?.value === 'string';
    return isText ? { value: `${left.value}${right.value}` } : undefined;
  }
  return undefined;
}

function keyOf(key: AstNode): string | undefined {
  if (key.type === 'Identifier') return String(key.name);
  return key.type === 'Literal' ? String(key.value) : undefined;
}
