BEGIN TRANSACTION;
CREATE TABLE andon_deliveries (
	notice TEXT NOT NULL, 
	target TEXT NOT NULL, 
	name TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_at FLOAT, 
	delivered_at FLOAT, 
	problem TEXT NOT NULL, 
	PRIMARY KEY (notice, target), 
	FOREIGN KEY(notice) REFERENCES andon_notices ("key")
);
INSERT INTO "andon_deliveries" VALUES('golden33.1.7/reminder_1','f1f2f3','json://127.0.0.1',0,1767312000.0,NULL,'');
CREATE TABLE andon_evidence (
	run TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	previous TEXT NOT NULL, 
	envelope TEXT NOT NULL, 
	PRIMARY KEY (run, seq), 
	CONSTRAINT andon_evidence_once UNIQUE (run, "key"), 
	FOREIGN KEY(run) REFERENCES andon_runs (id)
);
INSERT INTO "andon_evidence" VALUES('golden22',1,'1.1','9a6392c62af8ad1eb794c84590e9a8913555fab7404c064a541af59bc9022eed','768586230aa244b500fc721f1397e7c97ea404de2e8999de0dab497fb36ea1e8','{"payload": "eyJfdHlwZSI6ICJodHRwczovL2luLXRvdG8uaW8vU3RhdGVtZW50L3YxIiwgInByZWRpY2F0ZSI6IHsiY29tbWFuZCI6IFsicHl0ZXN0Il0sICJlbnZpcm9ubWVudCI6ICIiLCAiZXhpdENvZGUiOiAwLCAiZ29hbCI6ICJ0ZXN0IiwgIm1lYXN1cmVkIjogdHJ1ZSwgIm91dHB1dCI6ICJhOTJiN2ZkY2I0NWUxZDIyZmMyYWY0YzgwYWRjNmU3ZmMxMzg5ZmY4YTY5NDAxMGNmNWU2ZmYwYjVmZmJmMWY2IiwgInByZXZpb3VzIjogIjc2ODU4NjIzMGFhMjQ0YjUwMGZjNzIxZjEzOTdlN2M5N2VhNDA0ZGUyZTg5OTlkZTBkYWI0OTdmYjM2ZWExZTgiLCAicmVhc29uIjogIiIsICJyZXN1bHQiOiAiUEFTU0VEIiwgInJ1biI6ICJnb2xkZW4yMiIsICJzYW5kYm94IjogIiIsICJzZXEiOiAxLCAic2lnbmF0dXJlcyI6IFtdLCAic3RlcCI6ICIxLjEiLCAidHJ1bmNhdGVkIjogZmFsc2UsICJ2ZXJkaWN0IjogInBhc3NlZCJ9LCAicHJlZGljYXRlVHlwZSI6ICJodHRwczovL2luLXRvdG8uaW8vYXR0ZXN0YXRpb24vdGVzdC1yZXN1bHQvdjAuMSIsICJzdWJqZWN0IjogW3siZGlnZXN0IjogeyJnaXRUcmVlIjogIjRiODI1ZGMifSwgIm5hbWUiOiAidHJlZSJ9XX0=", "payloadType": "application/vnd.in-toto+json", "signatures": [{"keyid": "d6c192ff0441e820", "sig": "PlcwTmkYWBWc3fROVDyIHCCs/f4flG6M5pqBWK4dgin7b/T2s3ZXIkdZ/NpldIQKdPvSPhIqDIlX+lJwYvvwAQ=="}]}');
INSERT INTO "andon_evidence" VALUES('golden22',2,'1.2','dccf8240f92b8670fb4c082a9761f82bb697cb1d36c5e3172c011f7f664c229d','9a6392c62af8ad1eb794c84590e9a8913555fab7404c064a541af59bc9022eed','{"payload": "eyJfdHlwZSI6ICJodHRwczovL2luLXRvdG8uaW8vU3RhdGVtZW50L3YxIiwgInByZWRpY2F0ZSI6IHsiY29tbWFuZCI6IFtdLCAiZW52aXJvbm1lbnQiOiAiIiwgImV4aXRDb2RlIjogbnVsbCwgImdvYWwiOiAiYnVpbGQiLCAibWVhc3VyZWQiOiBmYWxzZSwgIm91dHB1dCI6ICIiLCAicHJldmlvdXMiOiAiOWE2MzkyYzYyYWY4YWQxZWI3OTRjODQ1OTBlOWE4OTEzNTU1ZmFiNzQwNGMwNjRhNTQxYWY1OWJjOTAyMmVlZCIsICJyZWFzb24iOiAiXHViM2M0XHVhZDZjXHVhYzAwIFx1YzVjNlx1Yzc0YyIsICJyZXN1bHQiOiAiV0FSTkVEIiwgInJ1biI6ICJnb2xkZW4yMiIsICJzYW5kYm94IjogIiIsICJzZXEiOiAyLCAic2lnbmF0dXJlcyI6IFtdLCAic3RlcCI6ICIxLjIiLCAidHJ1bmNhdGVkIjogZmFsc2UsICJ2ZXJkaWN0IjogIm5vdF9tZWFzdXJlZCJ9LCAicHJlZGljYXRlVHlwZSI6ICJodHRwczovL2luLXRvdG8uaW8vYXR0ZXN0YXRpb24vdGVzdC1yZXN1bHQvdjAuMSIsICJzdWJqZWN0IjogW3siZGlnZXN0IjogeyJnaXRUcmVlIjogIjRiODI1ZGMifSwgIm5hbWUiOiAidHJlZSJ9XX0=", "payloadType": "application/vnd.in-toto+json", "signatures": [{"keyid": "d6c192ff0441e820", "sig": "HefYCtbZVvqLxC1/c/qA1iDrkmc04LSQMYtQqbcP9RNu0haf4l1Z0KmWQoQ4b5SRfEjUe+IYTPGA9TESDpsUAw=="}]}');
CREATE TABLE andon_holds (
	id TEXT NOT NULL, 
	run TEXT NOT NULL, 
	category TEXT NOT NULL, 
	text TEXT NOT NULL, 
	options JSON NOT NULL, 
	"default" TEXT, 
	timeout FLOAT, 
	opened_at FLOAT NOT NULL, 
	answered_at FLOAT, 
	answer TEXT, 
	answered_by TEXT, kept_at FLOAT, kept_by TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run) REFERENCES andon_runs (id)
);
INSERT INTO "andon_holds" VALUES('golden22/1.3','golden22','question','Really?','[]',NULL,NULL,1.79491191200020766254e+09,1.7949119120027520656e+09,'yes','kim',NULL,NULL);
INSERT INTO "andon_holds" VALUES('golden22/1.4','golden22','approval','Go on?','["go", "stop"]','go',60.0,1.79491191200542044644e+09,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "andon_holds" VALUES('golden33/1.7','golden33','review','Phase 1?','[]',NULL,NULL,1.7949119120114076138e+09,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE andon_journal (
	run TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	kind TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	data JSON NOT NULL, 
	PRIMARY KEY (run, seq), 
	CONSTRAINT andon_journal_once UNIQUE (run, "key"), 
	FOREIGN KEY(run) REFERENCES andon_runs (id)
);
INSERT INTO "andon_journal" VALUES('golden22',1,'1.0.1',1.7949119119709012509e+09,'run_started','','{"leg": 1, "task": "Add top(n): \uac00\uc7a5 \ud754\ud55c \ub2e8\uc5b4"}');
INSERT INTO "andon_journal" VALUES('golden22',2,'1.1/check',1.79491191199322772022e+09,'check','check','{"goal": "test", "verdict": "passed"}');
INSERT INTO "andon_journal" VALUES('golden33',1,'1.7/reminder_1',1.79491191204685831064e+09,'review_reminded','','{"review": "golden33.1.7", "number": 1, "stage": "reminder_1", "outcome": "sent", "text": "A review has been waiting for 24 hours. (phase 1)", "to": "creator", "urgency": "normal"}');
CREATE TABLE andon_notices (
	"key" TEXT NOT NULL, 
	run TEXT NOT NULL, 
	event TEXT NOT NULL, 
	type TEXT NOT NULL, 
	urgency TEXT NOT NULL, 
	"to" TEXT NOT NULL, 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "andon_notices" VALUES('golden33.1.7/reminder_1','golden33','reminder','review_reminder','normal','creator','Review still waits: Add top(n): 가장 흔한 단어','A review has been waiting for 24 hours. (phase 1)
To look: andon task show golden33
/repository',1767312000.0);
CREATE TABLE andon_reminders (
	review TEXT NOT NULL, 
	stage TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	outcome TEXT NOT NULL, 
	PRIMARY KEY (review, stage), 
	FOREIGN KEY(review) REFERENCES andon_reviews (id)
);
INSERT INTO "andon_reminders" VALUES('golden33.1.7','reminder_1',1767312000.0,'sent');
CREATE TABLE andon_reviews (
	id TEXT NOT NULL, 
	run TEXT NOT NULL, 
	hold TEXT NOT NULL, 
	phase INTEGER NOT NULL, 
	tree TEXT NOT NULL, 
	base TEXT NOT NULL, 
	deliverables JSON NOT NULL, 
	verification JSON NOT NULL, 
	status TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	opened_at FLOAT NOT NULL, 
	decided_by TEXT NOT NULL, 
	decided_at FLOAT, 
	comment TEXT NOT NULL, 
	comments JSON NOT NULL, 
	auto_approved BOOLEAN NOT NULL, 
	escalated_at FLOAT, 
	reviewer TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run) REFERENCES andon_runs (id)
);
INSERT INTO "andon_reviews" VALUES('golden33.1.7','golden33','golden33/1.7',1,'4b825dc','base','["docs/a.md"]','{"passed": true, "criteria": [], "report": "\uc88b\uc74c"}','pending',1,1767225600.0,'',NULL,'','[]',0,NULL,'');
CREATE TABLE andon_runs (
	id TEXT NOT NULL, 
	pipeline TEXT NOT NULL, 
	task TEXT NOT NULL, 
	feature TEXT NOT NULL, 
	repository TEXT NOT NULL, 
	branch TEXT NOT NULL, 
	status TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	mode TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	leg INTEGER NOT NULL, 
	spec JSON NOT NULL, 
	forked_from TEXT, 
	created_at FLOAT NOT NULL, 
	updated_at FLOAT NOT NULL, 
	ended_at FLOAT, 
	PRIMARY KEY (id)
);
INSERT INTO "andon_runs" VALUES('golden22','auto','Add top(n): 가장 흔한 단어','top-n','/repository','feat/top-n','waiting','check','LIGHT','',1,'{"version": 1, "payload": {"request": {"task": "Add top(n): \uac00\uc7a5 \ud754\ud55c \ub2e8\uc5b4"}}}',NULL,1.79491191195134901998e+09,1.79491191196772861479e+09,NULL);
INSERT INTO "andon_runs" VALUES('golden33','auto','Add top(n): 가장 흔한 단어','top-n','/repository','feat/top-n','running','','','',1,'{"version": 1, "payload": {"request": {"task": "Add top(n): \uac00\uc7a5 \ud754\ud55c \ub2e8\uc5b4"}}}',NULL,1.79491191196103858952e+09,1.79491191196103858952e+09,NULL);
CREATE TABLE andon_schema (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT andon_schema_pkc PRIMARY KEY (version_num)
);
INSERT INTO "andon_schema" VALUES('0005');
CREATE TABLE andon_signals (
	id INTEGER NOT NULL, 
	run TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "andon_signals" VALUES(1,'golden22','answered','golden22/1.3',1.7949119120027520656e+09);
INSERT INTO "andon_signals" VALUES(2,'golden33','stop','1',1.79491191200639152525e+09);
CREATE TABLE andon_switches (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "andon_switches" VALUES('review_auto_approve_after_7_days','true','kim',1.79491191205077314373e+09);
CREATE TABLE andon_wishes (
	id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	door TEXT NOT NULL, 
	text TEXT NOT NULL, 
	options JSON NOT NULL, 
	repository TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	run TEXT NOT NULL, 
	problem TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "andon_wishes" VALUES('wish22','pending','task','Add top(n): 가장 흔한 단어','{"type": "modify_app"}','/repository','kim',1.0,'','');
CREATE TABLE application_versions (
    version_id TEXT NOT NULL PRIMARY KEY,
    version_name TEXT NOT NULL UNIQUE,
    version_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL);
INSERT INTO "application_versions" VALUES('f8dea273-968b-43fc-b70f-27eb3cb5fefc','1.golden22',1794911912000,1794911912000,'andon');
CREATE TABLE dbos_migrations (version INTEGER NOT NULL PRIMARY KEY);
INSERT INTO "dbos_migrations" VALUES(123);
CREATE TABLE notifications (
    message_uuid TEXT NOT NULL DEFAULT (hex(randomblob(16))) PRIMARY KEY,
    destination_uuid TEXT NOT NULL,
    topic TEXT,
    message TEXT NOT NULL,
    created_at_epoch_ms INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000), "serialization" TEXT DEFAULT NULL, "consumed" BOOLEAN NOT NULL DEFAULT FALSE, consumed_by_function_id INTEGER,
    FOREIGN KEY (destination_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE "operation_outputs" (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    function_name TEXT NOT NULL DEFAULT '',
    output TEXT,
    error TEXT,
    child_workflow_id TEXT,
    started_at_epoch_ms INTEGER,
    completed_at_epoch_ms INTEGER,
    serialization TEXT,
    application_name TEXT DEFAULT NULL,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    PRIMARY KEY (workflow_uuid, function_id)
);
INSERT INTO "operation_outputs" VALUES('golden22.1',1,'ask one','{"value": {"text": "\ud558\ub098"}}',NULL,NULL,1794911912356,1794911912366,'andon_json','andon',1794911912000);
CREATE TABLE queues (
    queue_id TEXT PRIMARY KEY DEFAULT (hex(randomblob(16))),
    name TEXT NOT NULL UNIQUE,
    concurrency INTEGER,
    worker_concurrency INTEGER,
    rate_limit_max INTEGER,
    rate_limit_period_sec REAL,
    priority_enabled BOOLEAN NOT NULL DEFAULT FALSE,
    partition_queue BOOLEAN NOT NULL DEFAULT FALSE,
    polling_interval_sec REAL NOT NULL DEFAULT 1.0,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL, "partition_concurrency" INTEGER DEFAULT NULL, "partition_worker_concurrency" INTEGER DEFAULT NULL, "partition_rate_limit_max" INTEGER DEFAULT NULL, "partition_rate_limit_period_sec" REAL DEFAULT NULL);
CREATE TABLE streams (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    "offset" INTEGER NOT NULL, function_id INTEGER NOT NULL DEFAULT 0, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key, "offset"),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events_history (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, function_id, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid)
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_input (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    inputs TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
INSERT INTO "workflow_input" VALUES('golden22.1','{"value": {"args": [{"request": {"task": "Add top(n): \uac00\uc7a5 \ud754\ud55c \ub2e8\uc5b4"}}], "kwargs": {}}}',1794911912000);
CREATE TABLE workflow_output (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    output TEXT,
    error TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
CREATE TABLE workflow_schedules (
    schedule_id TEXT PRIMARY KEY,
    schedule_name TEXT NOT NULL UNIQUE,
    workflow_name TEXT NOT NULL,
    workflow_class_name TEXT,
    schedule TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'ACTIVE',
    context TEXT NOT NULL
, "last_fired_at" TEXT DEFAULT NULL, "automatic_backfill" BOOLEAN NOT NULL DEFAULT FALSE, "cron_timezone" TEXT DEFAULT NULL, "queue_name" TEXT DEFAULT NULL, "application_name" TEXT DEFAULT NULL);
CREATE TABLE workflow_status (
    workflow_uuid TEXT PRIMARY KEY,
    status TEXT,
    name TEXT,
    authenticated_user TEXT,
    assumed_role TEXT,
    authenticated_roles TEXT,
    request TEXT,
    output TEXT,
    error TEXT,
    executor_id TEXT,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    application_version TEXT,
    application_id TEXT,
    class_name TEXT DEFAULT NULL,
    config_name TEXT DEFAULT NULL,
    recovery_attempts INTEGER DEFAULT 0,
    queue_name TEXT,
    workflow_timeout_ms INTEGER,
    workflow_deadline_epoch_ms INTEGER,
    inputs TEXT,
    started_at_epoch_ms INTEGER,
    deduplication_id TEXT,
    priority INTEGER NOT NULL DEFAULT 0
, queue_partition_key TEXT, forked_from TEXT, "owner_xid" TEXT DEFAULT NULL, "parent_workflow_id" TEXT DEFAULT NULL, "serialization" TEXT DEFAULT NULL, "delay_until_epoch_ms" BIGINT DEFAULT NULL, "was_forked_from" BOOLEAN NOT NULL DEFAULT FALSE, "rate_limited" BOOLEAN NOT NULL DEFAULT FALSE, "completed_at" BIGINT, "attributes" TEXT, "schedule_name" TEXT, "debounce_deadline_epoch_ms" BIGINT DEFAULT NULL, "is_debounced" BOOLEAN NOT NULL DEFAULT FALSE, "application_name" TEXT DEFAULT NULL, "creator_xid" TEXT DEFAULT NULL);
INSERT INTO "workflow_status" VALUES('golden22.1','PENDING','andon.run',NULL,NULL,NULL,NULL,NULL,NULL,'run-golden22',1794911912000,1794911912000,'1.golden22','',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'56b8fae9-1772-4bb0-97e2-a4c7b2479e36',NULL,'andon_json',NULL,0,0,NULL,'null',NULL,NULL,0,'andon','56b8fae9-1772-4bb0-97e2-a4c7b2479e36');
CREATE INDEX andon_runs_repository ON andon_runs (repository, created_at);
CREATE INDEX andon_holds_run ON andon_holds (run);
CREATE TRIGGER andon_journal_no_update BEFORE UPDATE ON andon_journal BEGIN SELECT RAISE(ABORT, 'andon_journal is append-only'); END;
CREATE TRIGGER andon_journal_no_delete BEFORE DELETE ON andon_journal BEGIN SELECT RAISE(ABORT, 'andon_journal is append-only'); END;
CREATE TRIGGER andon_evidence_no_update BEFORE UPDATE ON andon_evidence BEGIN SELECT RAISE(ABORT, 'andon_evidence is append-only'); END;
CREATE TRIGGER andon_evidence_no_delete BEFORE DELETE ON andon_evidence BEGIN SELECT RAISE(ABORT, 'andon_evidence is append-only'); END;
CREATE INDEX andon_reviews_run ON andon_reviews (run);
CREATE INDEX andon_reviews_status ON andon_reviews (status);
CREATE INDEX andon_deliveries_next ON andon_deliveries (next_at);
CREATE INDEX andon_wishes_state ON andon_wishes (state, created_at);
CREATE INDEX workflow_status_created_at_index ON workflow_status (created_at);
CREATE INDEX idx_workflow_topic ON notifications (destination_uuid, topic);
CREATE INDEX "idx_workflow_status_delayed" ON "workflow_status" ("delay_until_epoch_ms") WHERE status = 'DELAYED';
CREATE INDEX "idx_workflow_status_forked_from" ON "workflow_status" ("forked_from") WHERE "forked_from" IS NOT NULL;
CREATE INDEX "idx_workflow_status_parent_workflow_id" ON "workflow_status" ("parent_workflow_id") WHERE "parent_workflow_id" IS NOT NULL;
CREATE UNIQUE INDEX "uq_workflow_status_dedup_id" ON "workflow_status" ("queue_name", "deduplication_id") WHERE "deduplication_id" IS NOT NULL;
CREATE INDEX "idx_workflow_status_pending" ON "workflow_status" ("created_at") WHERE "status" = 'PENDING';
CREATE INDEX "idx_workflow_status_failed" ON "workflow_status" ("status", "created_at") WHERE "status" IN ('ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED');
CREATE INDEX "idx_workflow_status_rate_limited" ON "workflow_status" ("queue_name", "started_at_epoch_ms") WHERE "rate_limited" = TRUE;
CREATE INDEX "idx_workflow_status_completed_at" ON "workflow_status" ("completed_at") WHERE "completed_at" IS NOT NULL;
CREATE INDEX "idx_workflow_status_started_at" ON "workflow_status" ("started_at_epoch_ms") WHERE "started_at_epoch_ms" IS NOT NULL;
CREATE INDEX "idx_workflow_status_schedule_name" ON "workflow_status" ("schedule_name") WHERE "schedule_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_owner_version"
    ON application_versions ("application_name", "version_name")
    WHERE "application_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_unclaimed_version"
    ON application_versions ("version_name")
    WHERE "application_name" IS NULL;
CREATE INDEX idx_workflow_input_retention
    ON workflow_input (retention_timestamp);
CREATE INDEX idx_workflow_output_retention
    ON workflow_output (retention_timestamp);
CREATE INDEX idx_operation_outputs_retention
    ON operation_outputs (retention_timestamp);
CREATE INDEX "idx_workflow_status_in_flight_v2" ON "workflow_status" ("queue_name", "status", "priority", "created_at", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING');
CREATE INDEX "idx_workflow_status_partition_dequeue_v3" ON "workflow_status" ("queue_name", "status", "queue_partition_key", "priority", "created_at", "workflow_uuid", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING') AND "queue_partition_key" IS NOT NULL;
CREATE INDEX "idx_operation_outputs_completed_at_function_name_v2" ON "operation_outputs" ("completed_at_epoch_ms", "function_name", "application_name");
CREATE INDEX "idx_workflow_status_deadline" ON "workflow_status" ("workflow_deadline_epoch_ms") WHERE "status" IN ('ENQUEUED', 'PENDING', 'DELAYED') AND "workflow_deadline_epoch_ms" IS NOT NULL;
COMMIT;
