/** The argument by which a model says why it makes a call: the human who is asked sees it as the agent's word. */
import { LONGEST_REASON, REASON, REASON_HELP, takesReason } from '../../gate/agent-reason.js';
import { shortText, type SchemaField } from '../schema.js';

/** Among the optional fields of a tool's input. */
export const reasonField: Readonly<Record<string, SchemaField>> = {
  [REASON]: shortText(LONGEST_REASON, REASON_HELP),
};

export { takesReason };

/** What a tool that takes it has in its input. */
export interface ReasonInput {
  description?: string;
}
