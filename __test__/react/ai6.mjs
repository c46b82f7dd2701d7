/** AI SDK 6, by the names of 7. */
import { streamText as stream6 } from 'ai6';

export * from 'ai6';
export { stepCountIs as isStepCount } from 'ai6';
export const streamText = (options) => ({ stream: stream6(options) });
export const toUIMessageStream = ({ stream, originalMessages }) => stream.toUIMessageStream({ originalMessages });
