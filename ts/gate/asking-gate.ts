/** The gate that programs get: one at which code may ask by itself, too. */
import type { Gate, GateOptions, GateRequest, Resolution } from '../../index.js';
import { callerOf } from './caller.js';
import { LocalGate } from './gate.js';
import { requestApproval } from './requesting.js';
import { bindMethods } from '../values/bind-methods.js';

export class AskingGate extends LocalGate implements Gate {
  constructor(options?: GateOptions) {
    super(options);
    bindMethods(this);
  }

  request(request: GateRequest, options?: { abortSignal?: AbortSignal }): Promise<Resolution> {
    return requestApproval(this, request, options, callerOf(this));
  }
}

/** @see Gate */
export function createGate(options?: GateOptions): Gate {
  return new AskingGate(options);
}
