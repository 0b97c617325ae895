-- The rows of blocks lie in partitions by height, where the database has those: to vacuum, to
-- back up or to drop a part of a book then takes the time of that part. The table that there
-- was becomes the first partition, and no row is copied. What is of it as a whole follows:
-- views, indexes, and who may read it. SQLite has no partitions.

-- Blocks that were detached from the book, and whose rows are being removed: they lie below its
-- first height. There is no row but while that lasts.
CREATE TABLE removal (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    first   {{integer}} NOT NULL,
    last    {{integer}} NOT NULL,
    digest  {{data}} NOT NULL            -- of this row
){{strict}};
{{if partitioned}}
DO $$
DECLARE
    rows_of_blocks CONSTANT TEXT[] := ARRAY['blocks', 'transactions', 'movements', 'unclassified', 'transfers', 'diagnoses', 'findings', 'unanswered'];
    t          TEXT;
    old        TEXT;
    highest    BIGINT;   -- of all of the tables, so that their partitions end at one height
    top        BIGINT;
    upper      TEXT;
    primary_key TEXT;
    statement  TEXT;
    statements TEXT[];
    x          RECORD;
BEGIN
    FOREACH t IN ARRAY rows_of_blocks LOOP
        EXECUTE format('SELECT max(height) FROM %I', t) INTO top;
        highest := greatest(highest, top);
    END LOOP;
    upper := CASE WHEN highest / {{partitionHeights}} < 9223372036854775807 / {{partitionHeights}}
        THEN ((greatest(highest, 0) / {{partitionHeights}} + 1) * {{partitionHeights}})::TEXT ELSE 'MAXVALUE' END;
    FOREACH t IN ARRAY rows_of_blocks LOOP
        CONTINUE WHEN (SELECT relkind = 'p' FROM pg_class WHERE oid = t::regclass);
        old := t || '_0';
        statements := ARRAY(
            SELECT format('CREATE OR REPLACE VIEW %s AS %s', v.oid::regclass, pg_get_viewdef(v.oid)) FROM pg_class v
            WHERE v.relkind IN ('v', 'm') AND v.oid IN (SELECT r.ev_class FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
                WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = t::regclass)
            ORDER BY v.oid);
        FOR x IN SELECT i.relname, pg_get_indexdef(i.oid) AS definition FROM pg_index JOIN pg_class i ON i.oid = indexrelid
            WHERE indrelid = t::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.oid)
        LOOP
            statements := statements || x.definition;
            EXECUTE format('ALTER INDEX %I RENAME TO %I', x.relname, x.relname || '_0');
        END LOOP;
        SELECT pg_get_constraintdef(oid) INTO primary_key FROM pg_constraint WHERE conrelid = t::regclass AND contype = 'p';
        EXECUTE format('ALTER TABLE %I RENAME TO %I', t, old);
        EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', old, t || '_pkey', old || '_pkey');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (height)', t, old);
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I %s', t, t || '_pkey', primary_key);
        FOR x IN SELECT privilege_type AS privilege, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS grantee
            FROM pg_class CROSS JOIN aclexplode(relacl) WHERE oid = old::regclass AND grantee <> relowner
        LOOP
            EXECUTE format('GRANT %s ON %I TO %s', x.privilege, t, x.grantee);
        END LOOP;
        IF highest IS NOT NULL THEN
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', t, old, upper);
        END IF;
        FOREACH statement IN ARRAY statements LOOP
            EXECUTE statement;
        END LOOP;
        IF highest IS NULL THEN
            EXECUTE format('DROP TABLE %I', old);
        END IF;
    END LOOP;
    FOR x IN SELECT privilege_type AS privilege, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS grantee
        FROM pg_class CROSS JOIN aclexplode(relacl) WHERE oid = 'book'::regclass AND grantee <> relowner
    LOOP
        EXECUTE format('GRANT %s ON removal TO %s', x.privilege, x.grantee);
    END LOOP;
END
$$;
{{end}}
