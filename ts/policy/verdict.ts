/** Verdicts of the core, as the API gives them. */
import type { PolicyRuleRef, PolicySubject, PolicyVerdict } from '../../index.js';

/** As the core writes it: no place is 0, and spans are bytes of the argument that `argument` names. */
type Raw<T> = T & { argument?: string };

/** @param args the arguments of the call, to count in as JavaScript does */
export function verdictOf(raw: PolicyVerdict, args: unknown): PolicyVerdict {
  return { ...raw, rule: ruleOf(raw.rule), subjects: raw.subjects.map((subject) => subjectOf(subject, args)) };
}

function ruleOf(rule: PolicyRuleRef | null | undefined): PolicyRuleRef | null {
  if (rule === null || rule === undefined) return null;
  return rule.line === 0 ? { ...rule, line: null, column: null } : rule;
}

function subjectOf(raw: Raw<PolicySubject>, args: unknown): PolicySubject {
  const { argument, ...subject } = raw;
  const { span } = subject;
  const rule = ruleOf(subject.rule);
  if (span === undefined) return { ...subject, rule };
  const text: unknown =
    argument !== undefined && typeof args === 'object' && args !== null && Object.hasOwn(args, argument)
      ? (args as Record<string, unknown>)[argument]
      : undefined;
  // Offsets into what is not there (an argument inside another, an array) would point nowhere.
  if (typeof text !== 'string') return { ...subject, rule, span: undefined };
  return { ...subject, rule, span: [unitsOf(text, span[0]), unitsOf(text, span[1])] };
}

/** Bytes of UTF-8 to units of UTF-16. */
function unitsOf(text: string, bytes: number): number {
  let seen = 0;
  let units = 0;
  for (const character of text) {
    if (seen >= bytes) return units;
    const code = character.codePointAt(0) as number;
    seen += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units += character.length;
  }
  return units;
}
