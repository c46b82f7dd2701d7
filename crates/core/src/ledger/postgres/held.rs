//! What the server itself makes sure of, for roles that may decide and not ask: with the password of such a role, SQL can do no
//! more than a person can do here.
//!
//! A role is *held* when it may not insert requests. Triggers look at what it changes: it decides what waits, in time, by a
//! decision that the request allows, in its own name, and with all the approvals that the request needs, each given by another
//! role. A role stands for one person, whose name it has; groups are roles that it is a member of. A role in `desk` is no person:
//! it belongs to a program that asks its people who they are (an inbox), and speaks for them all.

use super::names::TableNames;

/// A trigger that holds roles, as it was made.
pub(super) struct RoleTrigger {
    /// The table.
    pub(super) table: String,
    /// The function.
    pub(super) function: String,
    /// What the function does.
    pub(super) body: String,
}

/// The tables with a trigger, and the functions of these.
pub(super) const GUARDS: [(&str, &str); 5] = [
    ("approval", "hold_decision"),
    ("outcome", "hold_outcome"),
    ("waiting", "hold_waiting"),
    ("leaf", "hold_leaf"),
    ("owner", "hold_owner"),
];

/// All triggers that hold roles.
pub(super) fn guards(names: &TableNames) -> impl Iterator<Item = RoleTrigger> {
    GUARDS.into_iter().map(|(table, function)| {
        let from = format!("CREATE FUNCTION @{function}()");
        let source = SCHEMA_2.split_once(&from).map_or("", |(_, rest)| rest);
        RoleTrigger {
            table: format!("{}{table}", names.prefix),
            function: format!("{}{function}", names.prefix),
            body: names.sql(source.split("$$").nth(1).unwrap_or_default()),
        }
    })
}

/// `ballot` holds who approved what, as the server saw it; the names are those of roles. `owner.role` is who made the lease.
pub(super) const SCHEMA_2: &str = r#"
CREATE TABLE @desk (role text PRIMARY KEY);
CREATE TABLE @ballot (
    id uuid NOT NULL,
    role text NOT NULL,
    PRIMARY KEY (id, role)
);
ALTER TABLE @owner ADD COLUMN role text NOT NULL DEFAULT session_user;

CREATE FUNCTION @is_held() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT pg_catalog.has_table_privilege(session_user, '@approval', 'INSERT')
$$;

CREATE FUNCTION @names(need jsonb, who text, age bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT need->'approvers' IS NULL OR EXISTS (
        SELECT FROM pg_catalog.jsonb_array_elements_text(
            (need->'approvers') || CASE
                WHEN (need->'escalate'->>'after')::bigint <= age THEN need->'escalate'->'to'
                ELSE '[]'::jsonb
            END
        ) AS name
        WHERE name = who OR EXISTS (
            SELECT FROM pg_catalog.pg_roles r
            WHERE name = 'group:' || r.rolname AND pg_catalog.pg_has_role(who::name, r.oid, 'MEMBER')
        )
    )
$$;

-- Votes as they are kept without a key; NULL: they are sealed, or no votes.
CREATE FUNCTION @votes(kept bytea) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN coalesce(pg_catalog.convert_from(kept, 'UTF8'), '[]')::jsonb;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;

-- Whether the votes are those that there were and one more: of this person, for needs that name them. Sealed votes are made
-- by whoever has the key, and opened by nobody else.
CREATE FUNCTION @adds_vote(asked @approval, kept bytea, more bytea, who text, at bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    votes jsonb := @votes(more);
    needs jsonb := coalesce(asked.needs, '[]')::jsonb;
    names boolean[] := ARRAY(
        SELECT @names(need, who, at - asked.created_at)
            AND NOT (coalesce((need->>'excludeRequester')::boolean, false) AND asked.requester IS NOT DISTINCT FROM who)
        FROM jsonb_array_elements(needs) WITH ORDINALITY AS of (need, nth) ORDER BY nth
    );
    counted bigint := (votes->-1->>'for')::bigint;
BEGIN
    IF (SELECT v FROM @meta WHERE k = 'key') <> 'none' THEN
        RETURN votes IS NULL AND true = ANY (names);
    END IF;
    RETURN coalesce(
        jsonb_typeof(votes) = 'array' AND votes - -1 = @votes(kept) AND votes->-1->>'by' = who AND counted > 0
        AND NOT EXISTS (
            SELECT FROM generate_series(0, 62) AS nth
            WHERE counted & (1::bigint << nth) <> 0 AND NOT coalesce(names[nth + 1], false)
        ),
        false
    );
END
$$;

CREATE FUNCTION @hold_decision() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    who text := session_user;
    at bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
    may text[] := ARRAY['status', 'choice', 'stop', 'decider', 'via', 'decided_at', 'bound', 'decided_seq', 'changed_seq',
        'ended_at', 'seal', 'told', 'due_at', 'gone_votes', 'gone_seal'];
    speaks boolean := EXISTS (SELECT FROM @desk WHERE role = session_user);
    need jsonb;
BEGIN
    IF OLD.status <> 0 OR to_jsonb(NEW) - may <> to_jsonb(OLD) - may THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role decides what waits, and changes nothing else';
    END IF;
    -- What the row says beside its status is the same decision: `choice` counts from 0, and what waits has none.
    IF NEW.choice IS DISTINCT FROM nullif(NEW.status, 0) - 1 THEN
        RAISE insufficient_privilege USING MESSAGE = 'the status and the decision are not the same';
    END IF;
    IF NOT speaks AND NEW.gone_votes IS DISTINCT FROM OLD.gone_votes
        AND NOT @adds_vote(OLD, OLD.gone_votes, NEW.gone_votes, who, at)
    THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role adds its own vote, and no other';
    END IF;
    IF NEW.status = 6 AND OLD.expires_at <= at AND NEW.decider IS NULL THEN
        RETURN NEW;
    END IF;
    IF OLD.expires_at <= at THEN
        RAISE insufficient_privilege USING MESSAGE = 'the time to decide is up';
    END IF;
    IF NEW.status = 0 THEN
        IF NEW.gone_votes IS DISTINCT FROM OLD.gone_votes AND NOT speaks THEN
            INSERT INTO @ballot VALUES (OLD.id, who) ON CONFLICT DO NOTHING;
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.status NOT BETWEEN 1 AND 5 OR OLD.allowed & (1 << (NEW.status - 1)::int) = 0 THEN
        RAISE insufficient_privilege USING MESSAGE = 'the request does not allow this decision';
    END IF;
    IF speaks THEN
        RETURN NEW;
    END IF;
    IF NEW.decider IS DISTINCT FROM who THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role decides in its own name alone: give `by` the name of the role';
    END IF;
    FOR need IN SELECT jsonb_array_elements(coalesce(OLD.needs, '[]')::jsonb) LOOP
        -- One who is named, or who asked, may end it; all that are needed must agree that it runs.
        IF NEW.status IN (3, 5) THEN
            IF @names(need, who, at - OLD.created_at) OR OLD.requester = who THEN
                RETURN NEW;
            END IF;
        ELSIF (
            SELECT count(*) FROM (
                SELECT role FROM @ballot WHERE id = OLD.id UNION SELECT who
            ) AS agreed
            WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = agreed.role)
            AND @names(need, agreed.role, at - OLD.created_at)
            AND NOT (coalesce((need->>'excludeRequester')::boolean, false) AND agreed.role IS NOT DISTINCT FROM OLD.requester)
        ) < coalesce((need->>'quorum')::int, 1) THEN
            RAISE insufficient_privilege USING MESSAGE = 'the people who must agree have not all agreed';
        END IF;
    END LOOP;
    IF NEW.status IN (3, 5) AND jsonb_array_length(coalesce(OLD.needs, '[]')::jsonb) > 0 THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role is none of those who must agree';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER held BEFORE UPDATE ON @approval FOR EACH ROW WHEN (@is_held()) EXECUTE FUNCTION @hold_decision();

CREATE FUNCTION @hold_outcome() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    at bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
    kept bytea := (SELECT votes FROM @outcome WHERE id = NEW.id);
BEGIN
    IF (TG_OP = 'UPDATE' AND OLD.result IS DISTINCT FROM NEW.result) OR (TG_OP = 'INSERT' AND NEW.result IS NOT NULL)
        OR (TG_OP = 'UPDATE' AND OLD.id <> NEW.id) OR NOT EXISTS (
            SELECT FROM @approval a WHERE a.id = NEW.id AND a.xmin = pg_current_xact_id()::xid
        )
    THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role writes what it decides, and nothing else';
    END IF;
    IF NEW.votes IS DISTINCT FROM kept AND NOT EXISTS (SELECT FROM @desk WHERE role = session_user) AND NOT (
        SELECT @adds_vote(a, kept, NEW.votes, session_user, at) FROM @approval a WHERE a.id = NEW.id
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role adds its own vote, and no other';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER held BEFORE INSERT OR UPDATE ON @outcome FOR EACH ROW WHEN (@is_held()) EXECUTE FUNCTION @hold_outcome();

CREATE FUNCTION @hold_waiting() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM @approval a WHERE a.id = OLD.id AND a.xmin = pg_current_xact_id()::xid
        AND CASE WHEN TG_OP = 'DELETE' THEN a.status <> 0 ELSE a.due_at IS NOT DISTINCT FROM NEW.due_at AND NEW.id = OLD.id
            AND NEW.run_id = OLD.run_id END
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role takes away what it decided, and nothing else that waits';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER held AFTER UPDATE OR DELETE ON @waiting DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (@is_held()) EXECUTE FUNCTION @hold_waiting();

CREATE FUNCTION @hold_leaf() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.kind NOT IN ('voted', 'reminded', 'escalated', 'decided', 'refused', 'opened', 'clock-jump')
        OR NEW.kind IN ('voted', 'reminded', 'escalated', 'decided') AND NOT EXISTS (
            SELECT FROM @approval a
            WHERE a.id = NEW.approval_id AND a.changed_seq = NEW.id AND a.xmin = pg_current_xact_id()::xid
        )
    THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role tells the audit what it did, and nothing else';
    END IF;
    -- Whoever is no desk is named by what it tells.
    IF NEW.kind IN ('voted', 'decided', 'refused') AND NEW.body::jsonb->>'by' IS DISTINCT FROM (
        CASE NEW.kind WHEN 'decided' THEN (SELECT decider FROM @approval a WHERE a.id = NEW.approval_id) ELSE session_user END
    ) AND NOT EXISTS (SELECT FROM @desk WHERE role = session_user) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role tells the audit of itself, and of nobody else';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER held BEFORE INSERT ON @leaf FOR EACH ROW WHEN (@is_held()) EXECUTE FUNCTION @hold_leaf();

CREATE FUNCTION @hold_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.role := session_user;
        RETURN NEW;
    END IF;
    IF OLD.role <> session_user AND (TG_OP = 'UPDATE' OR OLD.until > floor(extract(epoch FROM clock_timestamp()) * 1000)) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this lease is of another role';
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    NEW.role := session_user;
    RETURN NEW;
END
$$;
CREATE TRIGGER held BEFORE INSERT OR UPDATE OR DELETE ON @owner FOR EACH ROW WHEN (@is_held()) EXECUTE FUNCTION @hold_owner();
"#;
