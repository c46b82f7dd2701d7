/** A file that uses the AI SDK: the calls that run tools, and the lines that put an approval before them. */
import { partsOf, propertiesOf, readCode, statementAt, type Code, type Part } from './code.js';
import { edited, type Edit } from './edits.js';

/** What runs tools, by its name in `ai`. */
const RUNNERS = ['streamText', 'generateText', 'ToolLoopAgent', 'Experimental_Agent'];
/** What answers `useChat`. */
const ANSWERS =
  /\b(?:toUIMessageStreamResponse|createAgentUIStreamResponse|createUIMessageStreamResponse|pipeUIMessageStreamToResponse|pipeAgentUIStreamToResponse|toUIMessageStream)\b/;
/** What listens, where no person is at a terminal. */
const SERVES =
  /\bexport\s+(?:async\s+function|function|const)\s+(?:GET|POST|PUT)\b|\b(?:createServer|Bun\.serve|Deno\.serve)\s*\(|\.(?:listen|post)\s*\(/;

export type AgentReading =
  /** Nothing runs tools there, or it is gated already. */
  | { kind: 'none' | 'gated' }
  | { kind: 'changed'; shape: 'script' | 'route'; after: string; tools: string[] }
  | { kind: 'left'; shape: 'script' | 'route'; line: number; because: string };

interface Runner {
  name: string;
  at: number;
  tools: Part;
  /** `undefined`: `tools` alone, as a shorthand. */
  value: Part | undefined;
}

/** Reads a file, and makes of it what `countersign init` would write. */
export function readAgentFile(text: string): AgentReading {
  const isOfAi = /['"`]ai['"`]/.test(text);
  if (!isOfAi && !mentions(text)) return { kind: 'none' };
  const shape = ANSWERS.test(text) ? 'route' : 'script';
  const left = (because: string, place = 0): AgentReading => ({
    kind: 'left',
    shape,
    because,
    line: lineAt(text, place),
  });
  const source = readCode(text);
  if (source === undefined)
    return isOfAi && mentions(text) ? left('its quotes and brackets could not be followed') : { kind: 'none' };
  const imported = importsOf(source);
  if (usesCountersign(source)) return { kind: 'gated' };
  if (imported.isWhole && mentions(text)) return left('it takes all of ai under one name (`import * as`)');
  const runners: Runner[] = [];
  for (const call of callsOf(source, imported.names)) {
    const runner = runnerAt(source, call);
    if (typeof runner === 'string') return left(runner, call.at);
    if (runner !== undefined) runners.push(runner);
  }
  const unread = otherTaking(source, imported);
  if (unread !== undefined) return left('it takes what runs tools from ai in another way, or hands it on', unread);
  const foreign = foreignRunner(source);
  if (foreign !== undefined)
    return left(`it takes ${JSON.stringify(foreign.name)} from ${JSON.stringify(foreign.from)}`, foreign.at);
  // What is not seen as a call must not be left open without a word.
  const other = otherUse(source, imported);
  if (other !== undefined) return left('it does something else with what runs tools than call it', other);
  const [first] = runners;
  if (first === undefined) {
    const agent = /\b(?:createAgentUIStreamResponse|pipeAgentUIStreamToResponse)\s*\(/.exec(source.code);
    return agent === null ? { kind: 'none' } : left('its agent is made elsewhere', agent.index);
  }
  if (/\b(?:createGate|gateTools|verifyApprovals|approvals|gated)\b/.test(source.code))
    return left('it uses a name that the lines below need', first.at);
  if (/\bruntime\s*=\s*['"](?:experimental-)?edge['"]/.test(text))
    return left('it runs on an edge runtime, which has no addons: take the runtime nodejs', first.at);
  if (shape === 'script' && SERVES.test(source.code))
    return left('it is a server: who answers there is for you to say', first.at);
  const edits = shape === 'route' ? routeEdits(source, runners) : scriptEdits(source, runners);
  if (typeof edits === 'string') return left(edits, first.at);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const after = edited(
    text,
    [...edits, headOf(source, imported, shape)].map((edit) => ({ ...edit, text: edit.text.replaceAll('\n', eol) })),
  );
  // What it does not read back it does not write.
  if (readCode(after) === undefined) return left('what was made of it could not be read back', first.at);
  return { kind: 'changed', shape, after, tools: [...new Set(runners.flatMap((runner) => toolNames(source, runner)))] };
}

/** A file that has JavaScript beside other languages. */
export function readFrameworkFile(text: string): AgentReading {
  const at = text.search(/\bfrom\s*['"]ai['"]|\b(?:import|require)\s*\(\s*['"]ai['"]\s*\)/);
  if (at < 0 || !mentions(text)) return { kind: 'none' };
  const shape = ANSWERS.test(text) ? 'route' : 'script';
  return { kind: 'left', shape, because: 'it is not JavaScript alone', line: lineAt(text, 0) };
}

/** Whether it is code, and no comment that says so. */
function usesCountersign({ text, code }: Code): boolean {
  const taken = [...text.matchAll(/\b(?:from|require)\b\s*\(?\s*['"]countersign['"]/g)];
  return taken.some(({ index }) => /^(?:from|require)\b/.test(code.slice(index)));
}

const mentions = (text: string): boolean => RUNNERS.some((name) => text.includes(name));

const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;

interface SdkImports {
  /** Local names, with those that they have in `ai`. */
  names: Map<string, string>;
  /** `import * as`, or a require that is not taken apart. */
  isWhole: boolean;
  isCommonJs: boolean;
  /** Behind the last import or require at the beginning of lines. */
  end: number;
  /** Where the names are taken. */
  parts: Part[];
}

/** Strings are blank in the code, so that imports are read from the text where the code has the keyword. */
function importsOf({ text, code }: Code): SdkImports {
  const found: SdkImports = { names: new Map(), isWhole: false, isCommonJs: false, end: 0, parts: [] };
  const statements =
    /^import\b(?!\s*\()[^;'"]*?['"]([^'"\n]+)['"](?:\s*with\s*\{[^}]*\})?[ \t]*;?|^(?:const|let|var)\s+([^=;]+?)\s*=\s*require\(\s*['"]([^'"\n]+)['"]\s*\)(?:\.\w+)*[ \t]*;?/gm;
  for (const match of text.matchAll(statements)) {
    if (!/^(?:import|const|let|var)\b/.test(code.slice(match.index))) continue;
    found.end = Math.max(found.end, match.index + match[0].length);
    if ((match[1] ?? match[3]) !== 'ai' || /^import\s+type\b/.test(match[0])) continue;
    found.parts.push({ from: match.index, to: match.index + match[0].length });
    found.isCommonJs ||= match[3] !== undefined;
    const list = /\{([^}]*)\}/.exec(match[0]);
    if (list === null || /^import\s+[\w$]+\s*,/.test(match[0])) found.isWhole = true;
    for (const each of (list?.[1] ?? '').split(',')) {
      const [, name, local] = /^\s*([\w$]+)(?:\s*(?:\bas\b|:)\s*([\w$]+))?\s*$/.exec(each) ?? [];
      if (name !== undefined) found.names.set(local ?? name, name);
    }
  }
  return found;
}

/** Where `ai` is taken in a way that is not read: when the file runs, in a function, or to be handed on. Types run nothing. */
function otherTaking({ text, code }: Code, { parts }: SdkImports): number | undefined {
  const ways =
    /\bexport\b(?!\s*type\b)([^;'"`]*?)\bfrom\s*['"]ai['"]|(?<!\btypeof\s*)\bimport\s*\(\s*['"`]ai['"`]\s*\)(?!\s*\.\s*[A-Z])|\brequire\s*\(\s*['"`]ai['"`]\s*\)/g;
  for (const { index, 0: whole, 1: names } of text.matchAll(ways)) {
    if (!/^(?:export|import|require)\b/.test(code.slice(index))) continue;
    if (parts.some(({ from, to }) => from <= index && index < to)) continue;
    if (whole.startsWith('export') ? /\*/.test(names ?? '') || mentions(names ?? '') : mentions(code)) return index;
  }
  return undefined;
}

/** What runs tools by its name, and comes from a file that hands it on: whether it is that of `ai` is not seen here. */
function foreignRunner({ text, code }: Code): { name: string; from: string; at: number } | undefined {
  for (const match of text.matchAll(/^import\b(?!\s*type\b)[^;'"{]*\{([^}]*)\}\s*from\s*['"]([^'"\n]+)['"]/gm)) {
    if (!/^import\b/.test(code.slice(match.index)) || match[2] === 'ai') continue;
    for (const each of match[1]!.split(',')) {
      const [, name = '', local = name] = /^\s*([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(each) ?? [];
      if (!RUNNERS.includes(name)) continue;
      const called = new RegExp(`(?<![\\w$.])${local.replaceAll('$', '\\$')}\\s*[(<]`);
      if (called.test(code)) return { name, from: match[2]!, at: match.index };
    }
  }
  return undefined;
}

interface Call {
  name: string;
  at: number;
  /** Its round bracket. */
  open: number;
}

function* callsOf({ code }: Code, names: ReadonlyMap<string, string>): Generator<Call> {
  for (const [local, name] of names) {
    if (!RUNNERS.includes(name)) continue;
    for (const match of code.matchAll(new RegExp(`(?<![\\w$.])${local.replaceAll('$', '\\$')}\\s*\\(`, 'g')))
      yield { name, at: match.index, open: match.index + match[0].length - 1 };
  }
}

/** Where one of the names stands that is neither taken, nor called, nor asked for its type: handed on, given types, extended. */
function otherUse({ code }: Code, { names, parts }: SdkImports): number | undefined {
  for (const [local, name] of names) {
    if (!RUNNERS.includes(name)) continue;
    for (const { index } of code.matchAll(
      new RegExp(`(?<![\\w$.])(?<!\\btypeof\\s+)${local.replaceAll('$', '\\$')}\\b(?!\\s*\\()`, 'g'),
    ))
      if (!parts.some(({ from, to }) => from <= index && index < to)) return index;
  }
  return undefined;
}

/** @returns why it is not understood, or `undefined` where it has no tools */
function runnerAt(source: Code, { name, at, open }: Call): Runner | string | undefined {
  const [options, ...more] = partsOf(source, open);
  if (
    options === undefined ||
    more.length > 0 ||
    source.code[options.from] !== '{' ||
    source.closes.get(options.from) !== options.to - 1
  )
    return 'its options are not written in the call';
  const properties = propertiesOf(source, options.from);
  const prepares = ({ from, to }: Part): boolean => /^(?:async\s+)?prepareCall\b/.test(source.code.slice(from, to));
  if (partsOf(source, options.from).some(prepares)) return 'its prepareCall may give it other tools';
  if (properties.some((property) => property?.key === 'toolApproval'))
    return 'its toolApproval ends the turn in the AI SDK, where nobody is asked. Remove it, and name its tools in interruptOn, an option of gateTools';
  const [tools, ...others] = properties.filter((property) => property?.key === 'tools');
  if (others.length > 0) return 'it names its tools more than once';
  if (tools === undefined) return properties.includes(undefined) ? 'its tools are not written in the call' : undefined;
  if (properties.indexOf(undefined, properties.indexOf(tools)) >= 0)
    return 'something behind its tools may replace them';
  return { name, at, tools, value: tools.value };
}

const toolsText = ({ text }: Code, { value }: Runner): string =>
  value === undefined ? 'tools' : text.slice(value.from, value.to);

function scriptEdits(source: Code, runners: readonly Runner[]): Edit[] {
  return runners.flatMap(({ tools, value }) => {
    const options = ', { gate: approvals, onApprovalRequest: terminalApprover() })';
    if (value === undefined) return [{ ...tools, text: `tools: gateTools(tools${options}` }];
    return [
      { from: value.from, to: value.from, text: 'gateTools(' },
      { from: value.to, to: value.to, text: options },
    ];
  });
}

/**
 * The one shape of a route that is known: `const { messages } = await req.json()`, `convertToModelMessages(messages)`, and one
 * `streamText` in the same function.
 * @returns why it is not that one
 */
function routeEdits(source: Code, runners: readonly Runner[]): Edit[] | string {
  const { code, text } = source;
  const [runner, ...others] = runners;
  if (runner === undefined || others.length > 0 || runner.name !== 'streamText')
    return 'it does not run one streamText';
  const body = [
    ...code.matchAll(/\bconst\s*\{([^{}]*)\}\s*(?::\s*\{([^{}]*)\}\s*)?=\s*(?:\(\s*)?await\s+\w+\.json\(\)[^;\n]*;?/g),
  ];
  const [read] = body;
  if (read === undefined || body.length > 1) return 'it does not read { messages } from the request';
  const names = read[1]!
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (!names.includes('messages') || names.some((name) => /^id\s*:/.test(name)))
    return 'it does not read { messages } from the request';
  const converts = [...code.matchAll(/\bconvertToModelMessages\(\s*messages\s*(?=[,)])/g)];
  const uses = [...code.slice(read.index + read[0].length).matchAll(/(?<![\w$.])messages\b(?!\s*:)/g)];
  const original = [...code.matchAll(/\boriginalMessages\s*:\s*messages\b/g)];
  const responses = [...code.matchAll(/\.toUIMessageStreamResponse\s*\(/g)];
  const [convert] = converts;
  const [response] = responses;
  if (convert === undefined || converts.length > 1 || code[convert.index + convert[0].length] !== ')')
    return 'it does not convert the messages in a way that is known';
  if (response === undefined || responses.length > 1) return 'it does not end with toUIMessageStreamResponse';
  if (uses.length !== 1 + original.length) return 'it uses the messages for something else, too';
  const statement = statementAt(source, convert.index);
  if (statement === undefined || statement !== statementAt(source, runner.at) || statement < read.index)
    return 'it is not clear where its tools are known';
  const indent = indentAt(text, statement);
  const gated =
    `// Check here that the chat belongs to the user who is logged in, and say who that is with \`by\`.\n` +
    `${indent}const verified = await verifyApprovals(messages, approvals, { runId: id });\n` +
    `${indent}const gated = gateTools(${shifted(toolsText(source, runner), indentAt(text, runner.tools.from), indent)}, { gate: approvals, mode: 'stop', runId: id });\n${indent}`;
  const hasId = names.includes('id');
  const list = read.index + read[0].indexOf('{') + 1;
  const types =
    read[2] === undefined ? undefined : list + read[1]!.length + read[0].slice(read[0].indexOf('}')).indexOf('{') + 1;
  const hasType = read[2] !== undefined && /\bid\s*[?]?:/.test(read[2]);
  const end = source.closes.get(response.index + response[0].length - 1)!;
  const given = code.slice(response.index + response[0].length, end).trim();
  const object = response.index + response[0].length + code.slice(response.index + response[0].length).indexOf('{');
  if (given !== '' && !given.startsWith('{')) return 'the options of its response are made elsewhere';
  return [
    ...(hasId ? [] : [{ from: list, to: list, text: ' id,' }]),
    ...(types === undefined || hasType ? [] : [{ from: types, to: types, text: ' id: string;' }]),
    { from: statement, to: statement, text: gated },
    {
      from: convert.index,
      to: convert.index + convert[0].length,
      text: 'convertToModelMessages(verified, { tools: gated }',
    },
    { from: runner.tools.from, to: runner.tools.to, text: 'tools: gated' },
    ...original.map((match) => ({
      from: match.index,
      to: match.index + match[0].length,
      text: 'originalMessages: verified',
    })),
    ...(given === '' ? [{ from: end, to: end, text: '{ originalMessages: verified }' }] : []),
    ...(given !== '' && original.length === 0
      ? [{ from: object + 1, to: object + 1, text: ' originalMessages: verified,' }]
      : []),
  ];
}

/** What stands before a place in its line, if that is blank. */
const indentAt = (text: string, place: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', place - 1) + 1, place))![0];

/** Lines that stood at one depth, at another. */
const shifted = (lines: string, from: string, to: string): string =>
  from.startsWith(to) ? lines.replaceAll(`\n${from}`, `\n${to}`) : lines;

/** A route is loaded again by `next dev`, and a request may reach another process. */
const ONE_GATE = `// One for the whole server. In \`next dev\`, keep it in globalThis, which outlives a reload.
// For several processes: createGate({ ledger: 'sqlite:approvals.db', policyFiles: true }).
`;

/** The import, and the gate. */
function headOf({ text }: Code, { end, isCommonJs }: SdkImports, shape: 'script' | 'route'): Edit {
  const names =
    shape === 'route' ? 'createGate, gateTools, verifyApprovals' : 'createGate, gateTools, terminalApprover';
  const taken = isCommonJs ? `const { ${names} } = require('countersign');` : `import { ${names} } from 'countersign';`;
  const lineEnd = /^[^\n]*/.exec(text.slice(end))![0].trim() === '' ? end : text.indexOf('\n', end);
  return {
    from: lineEnd < 0 ? text.length : lineEnd,
    to: lineEnd < 0 ? text.length : lineEnd,
    text: `\n${taken}\n\n// Where the calls of tools wait for a person. What runs unasked is in .countersign/policy.toml.\n${shape === 'route' ? ONE_GATE : ''}const approvals = createGate({ policyFiles: true });`,
  };
}

/** Names of the tools, where they are written in the file. */
function toolNames(source: Code, { value }: Runner): string[] {
  const name = value === undefined ? 'tools' : source.text.slice(value.from, value.to);
  let open = value !== undefined && source.code[value.from] === '{' ? value.from : -1;
  if (open < 0 && /^[\w$]+$/.test(name)) {
    const made = new RegExp(`\\b(?:const|let|var)\\s+${name.replaceAll('$', '\\$')}\\b[^=;]*=\\s*(?=\\{)`).exec(
      source.code,
    );
    open = made === null ? -1 : made.index + made[0].length;
  }
  return open < 0 ? [] : propertiesOf(source, open).flatMap((property) => property?.key ?? []);
}
