/** What the core says of one call, of its tools and of its texts. */
import type { ArgumentRow } from '../../index.js';
import { binding, open, wellFormedText } from '../addon.js';
import { after, type Awaitable } from '../values/awaitable.js';
import type {
  CanonicalText,
  ComparedNeeds,
  InterruptPlan,
  NativeCallParts,
  NativeReview,
  NativeReviewParts,
  NativeRights,
  NativeWaiting,
  NativeWeighed,
  PreviewText,
} from '../wire.js';
import { NativePolicies } from './policies.js';

/** What `interruptOn` means for each of these tools. */
export function interruptPlan(tools: object, interruptOn: unknown, unknownTools: string | undefined): InterruptPlan {
  return open(binding.interruptPlan(tools, interruptOn, unknownTools));
}

/** The tools with `needsApproval` set on the gated ones, and the names to warn about. */
export function applyInterruptConfig<T extends object>(
  tools: T,
  interruptOn: unknown,
  unknownTools: string | undefined,
): { tools: T; unknown: string[] } {
  const { tools: applied, plan } = binding.applyInterruptConfig(tools, interruptOn, unknownTools);
  return { tools: applied === null ? tools : (applied as T), unknown: open<InterruptPlan>(plan).unknown };
}

/** Which of these tools has another name than this one, and is meant by it; `null`: none. */
export function renamedTool(name: string, known: readonly string[]): string | null {
  return binding.renamedTool(
    name.toWellFormed(),
    known.filter((each) => each.isWellFormed()),
  );
}

export function hasApprovalTools(interruptOn: unknown): boolean {
  return open(binding.hasApprovalTools(interruptOn));
}

/** RFC 8785 text and its SHA-256 (hex). */
export function canonicalize(json: string): CanonicalText {
  return open(binding.canonicalize(json));
}

/** Whether the text fits the `pattern` of a schema, in time that grows with the text alone; `null`: that is not known. */
export function fitsPattern(pattern: string, text: string): boolean | null {
  return binding.fitsPattern(pattern.toWellFormed(), text.toWellFormed());
}

/** What is to be asked next of a call, or its verdict. Later where its policies look at files. */
export function weighCall(
  { args, asked, ...parts }: NativeCallParts,
  policies: readonly NativePolicies[],
): Awaitable<NativeWeighed> {
  // The call is left to the core as it is.
  const text = `${JSON.stringify({ args, asked }).slice(0, -1)},${JSON.stringify(parts, wellFormedText).slice(1)}`;
  return after(binding.weighCall(text, NativePolicies.bindings(policies)), (weighed) => open<NativeWeighed>(weighed));
}

/** What a reviewer's answer does. */
export function weighReview(parts: NativeReviewParts): NativeReview {
  return open(binding.weighReview(JSON.stringify(parts)));
}

/** Whether who met the needs `met` met all of `asked`, too. */
export function coversNeeds(needs: ComparedNeeds): boolean {
  return open(binding.coversNeeds(JSON.stringify(needs, wellFormedText)));
}

/** What a person may decide of a request that waits. */
export function personRights(waiting: NativeWaiting): NativeRights {
  return open(binding.personRights(JSON.stringify(waiting, wellFormedText)));
}

/** A call as plain text that is safe to show, at most `width` columns wide. */
export function preview(toolName: string, args: unknown, width?: number): PreviewText {
  return open(binding.preview(JSON.stringify({ toolName, args, width: width ?? null })));
}

/** The arguments of a call as rows of a table, what matters most first. */
export function argumentRows(args: unknown): ArgumentRow[] {
  return open(binding.rows(JSON.stringify(args)));
}

/** One line of `countersign policy check --batch`. Never throws. */
export function checkLine(line: string): string {
  return binding.checkLine(line);
}

/** One line of `countersign preview --batch`. Never throws. */
export function previewLine(line: string): string {
  return binding.previewLine(line);
}

/** Any text made safe to show on a terminal, both ends of a long one kept. */
export function safeText(text: string): string {
  return binding.safeText(text.toWellFormed());
}
