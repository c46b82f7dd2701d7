/** @jsxImportSource preact */
import type { FilterFacet } from '../../protocol.js';
import { NO_FILTERS, filters, heads, listFault, pending, readMore, rows, setFilters } from '../state/store.js';
import { isWarning, words } from '../words.js';
import { groupsOf, type ListRow, type RowGroup } from '../state/list.js';
import { RowLink, Search } from './list.js';
import { Ago, Empty, Given, TimeLeft } from './parts.js';

/** What waits, over all runs. */
export function Waiting() {
  const isFiltered = Object.values(filters.value).some((value) => value !== '');
  return (
    <section class="list" aria-labelledby="list-title">
      <header>
        <h1 id="list-title">Waiting {pending.value !== null && <span class="count">{pending.value.total}</span>}</h1>
        <Search label="Search what waits" value={filters.value.q} onSearch={(q) => setFilters({ q })} />
        <Choices />
      </header>
      {listFault.value !== null && <p class="note bad">The list could not be read: {listFault.value}</p>}
      {rows.value.length > 0 ? (
        groupsOf(rows.value).map((group) => <Group key={group.rows[0]?.item.approvalId} group={group} />)
      ) : (
        <Nothing isFiltered={isFiltered} />
      )}
      {pending.value?.next != null && (
        <button type="button" class="more" onClick={readMore}>
          Show more
        </button>
      )}
    </section>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (pending.value === null) return listFault.value === null ? <Empty title="Reading what waits…" /> : null;
  if (!isFiltered) {
    return (
      <Empty title="Nothing waits">
        <p>What agents ask for next appears here by itself.</p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing that waits fits">
      <button type="button" onClick={() => setFilters(NO_FILTERS)}>
        Show all that waits
      </button>
    </Empty>
  );
}

const CHOICES = [
  ['run', 'runs', 'All runs'],
  ['agent', 'agents', 'All agents'],
  ['tool', 'tools', 'All tools'],
  ['risk', 'risks', 'All risks'],
] as const;

function Choices() {
  const facets = pending.value?.facets;
  return (
    <div class="choices">
      {CHOICES.map(([name, plural, all]) => (
        <Choice
          key={name}
          label={all}
          value={filters.value[name]}
          facets={(facets?.[plural] ?? []).map((facet) => (name === 'run' ? withPrompt(facet) : facet))}
          onChoose={(value) => setFilters({ [name]: value })}
        />
      ))}
    </div>
  );
}

/** The longest prompt in the name of a run, in characters. */
const LONGEST = 40;

/** A run by what it was given to do, where that is known: an id says nothing. */
function withPrompt(facet: FilterFacet): FilterFacet {
  const head = heads.value.get(facet.value);
  if (head === undefined || head.prompt === null) return facet;
  const characters = [...head.prompt];
  const prompt = characters.length <= LONGEST ? head.prompt : `${characters.slice(0, LONGEST - 1).join('')}…`;
  return { ...facet, label: `${prompt} · ${head.name}` };
}

interface ChoiceProps {
  label: string;
  value: string;
  facets: readonly FilterFacet[];
  onChoose: (value: string) => void;
}

function Choice({ label, value, facets, onChoose }: ChoiceProps) {
  const isKnown = value === '' || facets.some((facet) => facet.value === value);
  return (
    <select
      class={value === '' ? '' : 'set'}
      aria-label={label.replace('All', 'Only of these')}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">{label}</option>
      {!isKnown && <option value={value}>nothing waits any more</option>}
      {facets.map((facet) => (
        <option key={facet.value} value={facet.value}>
          {facet.label} ({facet.count})
        </option>
      ))}
    </select>
  );
}

/** The requests of a run, below what the run was given to do. */
function Group({ group: { group, rows: own } }: { group: RowGroup }) {
  const head = heads.value.get(group);
  const list = (
    <ul class="rows">
      {own.map((row) => (
        <Item key={row.item.approvalId} row={row} />
      ))}
    </ul>
  );
  // For a run with one request and no other facts, a heading would say nothing.
  if (head === undefined || (own.length === 1 && head.prompt === null && head.steps.length === 0)) return list;
  const { name, prompt, status, steps } = head;
  const isLeft = status === 'suspended' || status === 'failed';
  return (
    <section class="group">
      <h2>
        <Given>{prompt ?? `Run ${name}`}</Given>
      </h2>
      <p class="quiet">
        {prompt !== null && (
          <span>
            Run <Given>{name}</Given>
          </span>
        )}
        <span>{waitingInWords(own.filter(({ gone }) => !gone).length, head.waiting)}</span>
        {isLeft && <span>no process continues it</span>}
      </p>
      {steps.length > 0 && (
        <details>
          <summary>What it called before</summary>
          <ol>
            {steps.map((step, index) => (
              <li key={index}>
                <Given mono>{step}</Given>
              </li>
            ))}
          </ol>
        </details>
      )}
      {list}
    </section>
  );
}

/** Of what waits in a run a filter may show a part. */
const waitingInWords = (shown: number, all: number): string =>
  shown < all ? `${shown} shown of ${words.many(all, 'request')} that wait` : words.waiting(shown);

function Item({ row: { item, gone } }: { row: ListRow }) {
  const { approvalId } = item;
  const warnings = item.flags.filter((name) => isWarning(name)).length;
  const [need] = item.needs;
  return (
    <li class={gone ? 'row gone' : 'row'}>
      <RowLink view="waiting" id={approvalId}>
        <span class="first">
          <span class="tool">
            <Given>{item.kind === 'question' ? 'Question' : item.tool}</Given>
          </span>
          {gone ? <span class="left">no longer waits</span> : <TimeLeft from={item.createdAt} until={item.expiresAt} />}
        </span>
        {item.headline !== null && (
          <span class="summary said">
            <Given>{item.headline}</Given>
          </span>
        )}
        {item.agentSays !== null && (
          <span class="summary says">
            <Given>{item.agentSays}</Given>
          </span>
        )}
        <span class="summary call">
          <Given mono={item.kind === 'approval'}>{item.summary}</Given>
        </span>
        <span class="last">
          <Given>{item.agent}</Given>
          <Ago time={item.createdAt} />
          {item.dangers.length > 0 && (
            <span class="warns">
              <span aria-hidden="true">▲</span> {item.dangers.join(', ')}
            </span>
          )}
          {warnings > 0 && (
            <span class="warns">
              <span aria-hidden="true">▲</span> {words.many(warnings, 'warning')}
            </span>
          )}
          {need !== undefined && (
            <span class="signed">
              {need.approved ?? '?'} of {need.quorum} signed
            </span>
          )}
          {!gone && item.mayDecide.length === 0 && <span class="not-yours">not yours to decide</span>}
        </span>
      </RowLink>
    </li>
  );
}
