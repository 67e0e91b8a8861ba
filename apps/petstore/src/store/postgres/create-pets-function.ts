import { PET_JSON } from './pet-json.ts';

/** How the function tells the events of the animals that were inserted, as the last thing. */
const TELLING = {
  /** Before there were events. */
  nothing: { variables: '', statements: '' },
  /** As it was before the inbox: in the log at once, whose end others wait for until the commit. */
  log: {
    variables: ' told text; made_now bigint; log event_logs;',
    statements: `
      made_now := cardinality(array_remove(ids, NULL));
      UPDATE event_logs SET last_id = last_id + made_now, bytes = bytes + octet_length(told)
      WHERE store = '' RETURNING * INTO STRICT log;
      INSERT INTO event_groups (store, first_id, count, at, log_bytes, events)
      VALUES ('', log.last_id - made_now + 1, made_now, clock_timestamp(), log.bytes, told);`,
  },
  inbox: {
    variables: ' told text;',
    statements: `
      INSERT INTO event_inbox (count, events) VALUES (cardinality(array_remove(ids, NULL)), told);`,
  },
} as const;

/** The function of groups of creates: see create-queue.ts. `telling`: where it tells events of the animals. */
export function createPetsFunction(telling: keyof typeof TELLING): string {
  const { variables, statements } = TELLING[telling];
  const tells = telling !== 'nothing';
  return `
  -- What a group of creates is, in one statement: animals, of which those with an Idempotency-Key are made once. asked
  -- has an array for each column, with null where an animal has no key: names, categories, statuses; locks, owners,
  -- keys, fingerprints (base64), since, at; and answers, what is to be kept, in the terms of format() with the id as its
  -- first argument. Gives a row for each animal, in their order: the id that it got; or what is kept for its key, and
  -- whether that is of the same request; or only nulls where another transaction is at the key.
  CREATE OR REPLACE FUNCTION petstore_create_pets(asked json, OUT made bigint, OUT kept text, OUT is_same boolean)
  RETURNS SETOF record LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    names text[]; categories bigint[]; statuses text[];
    locks bigint[]; owners text[]; keys text[]; fingerprints text[];
    since timestamptz[]; at timestamptz[]; answers text[];
    free boolean[]; held text[]; same boolean[]; new boolean[]; is_any_old boolean; ids bigint[];${variables}
  BEGIN
    SELECT * INTO STRICT names, categories, statuses, locks, owners, keys, fingerprints, since, at, answers
    FROM json_to_record(asked) AS a (
      names text[], categories bigint[], statuses text[],
      locks bigint[], owners text[], keys text[], fingerprints text[],
      since timestamptz[], at timestamptz[], answers text[]);

    -- A key that another process is at is not waited for: it may take long, and the client is better told.
    SELECT array_agg(lock IS NULL OR pg_try_advisory_xact_lock(lock) ORDER BY place) INTO free
    FROM unnest(locks) WITH ORDINALITY AS a (lock, place);

    -- Each statement sees what was committed before it, so this one, behind the locks, sees what their last holders
    -- have kept. With LIMIT it is looked up by its key; a join would read the whole table for many of them.
    SELECT array_agg(CASE WHEN counts THEN answer END ORDER BY place),
           array_agg(fingerprint = decode(of, 'base64') ORDER BY place),
           array_agg(is_free AND counts IS NOT TRUE ORDER BY place), bool_or(NOT counts)
    INTO held, same, new, is_any_old
    FROM unnest(owners, keys, fingerprints, since, free) WITH ORDINALITY AS a (owner, key, of, since, is_free, place)
    LEFT JOIN LATERAL (
      SELECT answer, fingerprint, created_at >= a.since AS counts FROM idempotent_answers
      WHERE api_key_id = owner AND idempotency_key = key LIMIT 1
    ) AS found ON is_free;
    IF is_any_old THEN
      DELETE FROM idempotent_answers USING unnest(owners, keys, since, free) AS a (owner, key, since, is_free)
      WHERE api_key_id = owner AND idempotency_key = key AND created_at < a.since AND is_free;
    END IF;

    IF true = ANY (new) THEN
      -- Ids are taken in the order of the rows; the order of RETURNING is promised nowhere.
      WITH inserted AS (
        INSERT INTO pets (name, category_id, status)
        SELECT name, category, status
        FROM unnest(names, categories, statuses, new) WITH ORDINALITY AS a (name, category, status, is_new, place)
        WHERE is_new ORDER BY place
        RETURNING id, name, category_id, status)
      SELECT array_agg(id ORDER BY id)${tells ? `, string_agg('pet.created ' || ${PET_JSON}, chr(10) ORDER BY id)` : ''}
      INTO ids${tells ? ', told' : ''} FROM inserted;
      -- From here on each id is at its animal's place.
      SELECT array_agg(CASE WHEN is_new THEN ids[nth] END ORDER BY place) INTO ids
      FROM (SELECT is_new, place, count(*) FILTER (WHERE is_new) OVER (ORDER BY place) AS nth
            FROM unnest(new) WITH ORDINALITY AS a (is_new, place)) AS numbered;

      INSERT INTO idempotent_answers (api_key_id, idempotency_key, fingerprint, answer, created_at)
      SELECT owner, key, decode(of, 'base64'), format(answer, id), moment
      FROM unnest(owners, keys, fingerprints, answers, at, ids) AS a (owner, key, of, answer, moment, id)
      WHERE key IS NOT NULL AND id IS NOT NULL;${statements}
    END IF;
    RETURN QUERY SELECT * FROM unnest(ids, held, same);
  END $$;
  `;
}
