import type { RolldownOptions } from 'rolldown';

declare const configs: RolldownOptions[];
export default configs;
/** What bundles with the screen of the chat need. */
export declare const terminal: Pick<RolldownOptions, 'transform' | 'plugins'>;
