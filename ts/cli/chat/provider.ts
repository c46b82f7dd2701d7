/** The provider for servers that speak OpenAI's protocol, in a file of its own: few need it. AI SDK 6 and 7 take its models. */
export { createOpenAICompatible } from 'openai-compatible-v3';
