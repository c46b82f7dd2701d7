/** The model that the chat's agent thinks with. */
import type { LanguageModel } from 'ai';
import { loadSdk } from '../../ai-sdk/sdk/sdk.js';
import { messageOf } from '../../errors/message-of.js';
import { ExitError, Exit, UsageError } from '../exit.js';
import type { OpenedModel } from './parts.js';
import { isServer } from './config.js';

export interface ModelChoice {
  model: string | undefined;
  baseUrl: string | undefined;
  /** Whether a key may be sent to the server. */
  sendsKey: boolean;
}

/** How long a server may take to show that it is there before the chat goes on without having seen it, in ms. */
const REACHABLE = 10_000;

const HOW = `which model?
  one of the AI Gateway, whose key is in AI_GATEWAY_API_KEY:
    countersign --model openai/gpt-5
  one of a server that speaks OpenAI's protocol, whose key, if any, is in COUNTERSIGN_API_KEY or OPENAI_API_KEY:
    countersign --model qwen3 --base-url http://localhost:11434/v1
Or set model and base_url in .countersign/config.toml or in ~/.config/countersign/config.toml.`;

/**
 * Opens it, and says at once when its server is not there.
 *
 * The AI SDK is the one beside this package, never one of the folder that the agent works in: code from there must not run
 * before anybody was asked.
 *
 * @throws {UsageError} when no model is named
 * @throws {ExitError} (`ERR_MODEL`) when its server cannot be reached
 * @throws UnsupportedSdkError (`ERR_UNSUPPORTED_SDK`)
 */
export async function openModel({ model, baseUrl, sendsKey }: ModelChoice): Promise<OpenedModel> {
  await loadSdk();
  if (baseUrl === undefined) return ofGateway(model);
  if (!isServer(baseUrl))
    throw new UsageError(`--base-url must be an http or https address, not ${JSON.stringify(baseUrl)}`);
  if (model === undefined) throw new UsageError('--base-url needs --model, the id of a model that the server has');
  const apiKey = sendsKey
    ? process.env['COUNTERSIGN_API_KEY'] || process.env['OPENAI_API_KEY'] || undefined
    : undefined;
  await checkReachable(baseUrl, apiKey);
  const { createOpenAICompatible } = await import('./provider.js');
  const provider = createOpenAICompatible({ name: 'server', baseURL: baseUrl, apiKey, includeUsage: true });
  return { model: provider(model) as LanguageModel, label: `${model} at ${withoutSecrets(baseUrl)}` };
}

function ofGateway(model: string | undefined): OpenedModel {
  if (model === undefined) throw new UsageError(HOW);
  if (!/^[^/]+\/./.test(model))
    throw new UsageError(`--model ${model} needs --base-url; only models of the AI Gateway (creator/name) go without`);
  if (!process.env['AI_GATEWAY_API_KEY'] && !process.env['VERCEL_OIDC_TOKEN'])
    throw new UsageError(`--model ${model} is one of the AI Gateway, which needs a key in AI_GATEWAY_API_KEY`);
  // The AI SDK takes an id that is a string to the AI Gateway.
  return { model, label: model };
}

/**
 * Any answer will do: not every server lists its models, and what is wrong with a key is better told by the run. So is a server that
 * takes its time: it may be loading the model, or the machine may be busy.
 */
async function checkReachable(url: string, apiKey: string | undefined): Promise<void> {
  try {
    const headers: HeadersInit = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const signal = AbortSignal.timeout(REACHABLE);
    const response = await fetch(`${url.replace(/\/+$/, '')}/models`, { headers, signal });
    await response.body?.cancel();
  } catch (error) {
    const { name, cause } = error as Error;
    if (name === 'TimeoutError') return;
    const why = messageOf(cause ?? error);
    throw new ExitError(
      Exit.failure,
      `the model server at ${withoutSecrets(url)} cannot be reached: ${why}`,
      'ERR_MODEL',
    );
  }
}

/** An address may have a name and a password in it. */
function withoutSecrets(url: string): string {
  const address = new URL(url);
  [address.username, address.password] = ['', ''];
  return address.href;
}
