/** Texts and calls in one line that is safe to show. */
import type { ApprovalRequest } from '../../index.js';
import { safeText } from '../native.js';
import { inOneLine, questionsOf } from './questions.js';

/** Any text as one line that is safe to show. */
export const oneLine = (text: string): string =>
  safeText(text)
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .trim();

/** What would run, without the name of its tool; for questions the first of them. */
export const callInALine = (request: Pick<ApprovalRequest, 'kind' | 'args' | 'contents'>): string =>
  oneLine(inWords(request));

function inWords(request: Pick<ApprovalRequest, 'kind' | 'args' | 'contents'>): string {
  if (request.contents === 'dropped') return '(its arguments were dropped)';
  const questions = questionsOf(request);
  if (questions !== undefined) return inOneLine(questions);
  const { args } = request;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args) ?? String(args);
  const values = Object.entries(args);
  const [only] = values;
  if (values.length === 1 && typeof only?.[1] === 'string') return only[1];
  return values.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
}
