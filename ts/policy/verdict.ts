/** Verdicts of the core, as the API gives them. */
import type { PolicyRuleRef, PolicySubject, PolicyVerdict } from '../../index.js';
import type { NativeJudged, NativeRule, NativeSubject } from '../native.js';

export function verdictOf([effect, rule, reason, subjects, , , , more]: NativeJudged): PolicyVerdict {
  const decisive = typeof rule === 'number' ? (subjects[rule]?.[2] ?? null) : rule;
  const verdict = { effect, rule: ruleOf(decisive), reason, subjects: subjects.map(subjectOf) };
  return more === 0 ? verdict : { ...verdict, more };
}

/** Documents that are objects have no lines. */
function ruleOf(rule: NativeRule | null): PolicyRuleRef | null {
  if (rule === null) return null;
  const [source, layer, line, column, index] = rule;
  return line === 0 ? { source, layer, line: null, column: null, index } : { source, layer, line, column, index };
}

function subjectOf(subject: NativeSubject): PolicySubject {
  const said = saidOf(subject);
  const span = subject[3];
  if (span !== null) said.span = span;
  return said;
}

function saidOf(subject: NativeSubject): PolicySubject {
  const effect = subject[1];
  const rule = ruleOf(subject[2]);
  switch (subject[0]) {
    case 'command':
      return { kind: 'command', effect, rule, argv: subject[4], text: subject[5], wrapper: subject[6] };
    case 'read':
    case 'write':
      return { kind: subject[0], effect, rule, path: subject[4], text: subject[5] };
    case 'url':
      return { kind: 'url', effect, rule, url: subject[4], text: subject[5] };
    case 'env':
    case 'tool':
      return { kind: subject[0], effect, rule, name: subject[4] };
    case 'unknown':
      return { kind: 'unknown', effect, rule, reason: subject[4] };
  }
}
