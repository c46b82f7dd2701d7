import type { GateEvent, Logger } from '../../index.js';

/** One line per step of a request's life. Arguments, which may hold secrets, appear at `trace` only. */
export function logEvent(logger: Logger, event: GateEvent): void {
  switch (event.type) {
    case 'requested': {
      const { approvalId, toolName, toolCallId, runId, origin, expiresAt, args } = event.request;
      logger.info?.('approval requested', { approvalId, toolName, toolCallId, runId, origin, expiresAt });
      logger.trace?.('approval requested with', { approvalId, args });
      return;
    }
    case 'voted': {
      const { approvalId, toolName, runId } = event.request;
      const { by, via } = event.vote;
      logger.info?.('approval counted', { approvalId, toolName, runId, by, via });
      return;
    }
    case 'reminded': {
      const { approvalId, toolName, runId, expiresAt } = event.request;
      logger.info?.('approval due soon', { approvalId, toolName, runId, expiresAt });
      return;
    }
    case 'escalated': {
      const { approvalId, toolName, runId } = event.request;
      logger.info?.('approval escalated', { approvalId, toolName, runId, to: event.to });
      return;
    }
    case 'decided': {
      const { approvalId, toolName, toolCallId, runId } = event.request;
      const { decision, decidedBy, via } = event;
      logger.info?.('approval decided', {
        approvalId,
        toolName,
        toolCallId,
        runId,
        decision: decision.type,
        decidedBy,
        via,
      });
      logger.trace?.('approval decided with', { approvalId, decision });
      return;
    }
    case 'started':
      logger.debug?.('tool started', { approvalId: event.approvalId });
      return;
    case 'settled':
      logger.debug?.('tool settled', { approvalId: event.approvalId, status: event.status });
      return;
    case 'granted': {
      const { id, effect, scope, label, by, expiresAt } = event.grant;
      logger.info?.('remembered', { approvalId: event.approvalId, grantId: id, effect, scope, by, expiresAt });
      logger.trace?.('remembered for', { grantId: id, label });
      return;
    }
    case 'policy-changed':
      if (event.problems.length === 0) logger.info?.('policy changed', {});
      else logger.error?.('a policy file, or one beside it, cannot be read or relied on', { problems: event.problems });
  }
}
