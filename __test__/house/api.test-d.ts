/** Checked by `tsc`: what `ts/` exports can be used as what the declarations say, member by member. */
import type * as declaredAcp from '../../acp.js';
import type * as declaredAgent from '../../agent.js';
import type * as declaredInbox from '../../inbox.js';
import type * as declared from '../../index.js';
import type * as declaredMcp from '../../mcp.js';
import type * as declaredReact from '../../react.js';
import type * as madeAgent from '../../ts/agent/index.js';
import type * as madeInbox from '../../ts/inbox/index.js';
import type * as made from '../../ts/index.js';
import type * as madeAcp from '../../ts/protocols/acp.js';
import type * as madeMcp from '../../ts/protocols/mcp.js';
import type * as madeReact from '../../ts/react/index.js';
import type * as madeWebhooks from '../../ts/webhooks/index.js';
import type * as declaredWebhooks from '../../webhooks.js';

/**
 * A class is compared by its instances and its static members: users get its instances from us and never call its
 * constructor, which is not part of the API.
 */
type Comparable<T> = T extends { prototype: infer INSTANCE }
  ? { instance: INSTANCE; statics: Omit<T, 'prototype'> }
  : T;

/** The names whose implementation does not fit the declaration; a compile error names them. */
type Unfit<DECLARED, MADE> = {
  [NAME in keyof DECLARED]: NAME extends keyof MADE
    ? Comparable<MADE[NAME]> extends Comparable<DECLARED[NAME]>
      ? never
      : NAME
    : NAME;
}[keyof DECLARED];

type Empty<NAMES> = [NAMES] extends [never] ? true : NAMES;

export const everyDeclaredMemberFits: Empty<Unfit<typeof declared, typeof made>> = true;
export const nothingElseIsExported: Empty<Exclude<keyof typeof made, keyof typeof declared>> = true;
export const everyMemberOfTheAgentFits: Empty<Unfit<typeof declaredAgent, typeof madeAgent>> = true;
export const theAgentExportsNothingElse: Empty<Exclude<keyof typeof madeAgent, keyof typeof declaredAgent>> = true;
export const acpFits: Empty<Unfit<typeof declaredAcp, typeof madeAcp>> = true;
export const acpExportsNothingElse: Empty<Exclude<keyof typeof madeAcp, keyof typeof declaredAcp>> = true;
export const mcpFits: Empty<Unfit<typeof declaredMcp, typeof madeMcp>> = true;
export const mcpExportsNothingElse: Empty<Exclude<keyof typeof madeMcp, keyof typeof declaredMcp>> = true;
export const everyMemberOfTheInboxFits: Empty<Unfit<typeof declaredInbox, typeof madeInbox>> = true;
export const theInboxExportsNothingElse: Empty<Exclude<keyof typeof madeInbox, keyof typeof declaredInbox>> = true;
export const everyMemberOfReactFits: Empty<Unfit<typeof declaredReact, typeof madeReact>> = true;
export const reactExportsNothingElse: Empty<Exclude<keyof typeof madeReact, keyof typeof declaredReact>> = true;
export const webhooksFit: Empty<Unfit<typeof declaredWebhooks, typeof madeWebhooks>> = true;
export const webhooksExportNothingElse: Empty<Exclude<keyof typeof madeWebhooks, keyof typeof declaredWebhooks>> = true;
