CREATE TABLE IF NOT EXISTS "experiments" (
	experiment_id INTEGER NOT NULL,
	name VARCHAR(256) NOT NULL,
	artifact_location VARCHAR(256),
	lifecycle_stage VARCHAR(32),
	creation_time BIGINT,
	last_update_time BIGINT,
	workspace VARCHAR(63) DEFAULT 'default' NOT NULL,
	CONSTRAINT experiment_pk PRIMARY KEY (experiment_id),
	CONSTRAINT experiments_lifecycle_stage CHECK (lifecycle_stage IN ('active', 'deleted')),
	CONSTRAINT uq_experiments_workspace_name UNIQUE (workspace, name)
);
INSERT INTO experiments VALUES(0,'Default','mlruns/0','active',1796002669803,1796002669803,'default');
INSERT INTO experiments VALUES(1,'airfoil','mlruns/1','active',1796002669847,1796002669847,'default');
CREATE TABLE IF NOT EXISTS "runs" (
	run_uuid VARCHAR(32) NOT NULL,
	name VARCHAR(250),
	source_type VARCHAR(20),
	source_name VARCHAR(500),
	entry_point_name VARCHAR(50),
	user_id VARCHAR(256),
	status VARCHAR(9),
	start_time BIGINT,
	end_time BIGINT,
	source_version VARCHAR(50),
	lifecycle_stage VARCHAR(20),
	artifact_uri VARCHAR(200),
	experiment_id INTEGER, deleted_time BIGINT,
	CONSTRAINT run_pk PRIMARY KEY (run_uuid),
	CONSTRAINT source_type CHECK (source_type IN ('NOTEBOOK', 'JOB', 'LOCAL', 'UNKNOWN', 'PROJECT')),
	CONSTRAINT runs_lifecycle_stage CHECK (lifecycle_stage IN ('active', 'deleted')),
	FOREIGN KEY(experiment_id) REFERENCES experiments (experiment_id),
	CHECK (status IN ('SCHEDULED', 'FAILED', 'FINISHED', 'RUNNING', 'KILLED'))
);
INSERT INTO runs VALUES('b7f782bdc5c14e1ba724dfe5bd7452f8','rcb, blocks of 128','UNKNOWN','','','root','FINISHED',1796002670273,1796002670761,'','active','mlruns/1/b7f782bdc5c14e1ba724dfe5bd7452f8/artifacts',1,NULL);
INSERT INTO runs VALUES('00f564d41b1e4595a3411d2466dd72cd','broken','UNKNOWN','','','root','FAILED',1796002670811,1796002670922,'','active','mlruns/1/00f564d41b1e4595a3411d2466dd72cd/artifacts',1,NULL);
INSERT INTO runs VALUES('82fe0330c0d54e6eb3c7bc715b460adb','deleted','UNKNOWN','','','root','FINISHED',1796002670995,1796002671076,'','deleted','mlruns/1/82fe0330c0d54e6eb3c7bc715b460adb/artifacts',1,1796002671131);
CREATE TABLE IF NOT EXISTS "metrics" (
	"key" VARCHAR(250) NOT NULL,
	value FLOAT NOT NULL,
	timestamp BIGINT NOT NULL,
	run_uuid VARCHAR(32) NOT NULL,
	step BIGINT DEFAULT '0' NOT NULL,
	is_nan BOOLEAN DEFAULT '0' NOT NULL,
	CONSTRAINT metric_pk PRIMARY KEY ("key", timestamp, step, run_uuid, value, is_nan),
	FOREIGN KEY(run_uuid) REFERENCES runs (run_uuid),
	CHECK (is_nan IN (0, 1))
);
INSERT INTO metrics VALUES('time',0.012500000000000000693,1796002670533,'b7f782bdc5c14e1ba724dfe5bd7452f8',0,0);
INSERT INTO metrics VALUES('time',0.012400000000000001298,1796002670595,'b7f782bdc5c14e1ba724dfe5bd7452f8',1,0);
INSERT INTO metrics VALUES('time',0.012300000000000000169,1796002670622,'b7f782bdc5c14e1ba724dfe5bd7452f8',2,0);
INSERT INTO metrics VALUES('reuse',2.7099999999999999644,1796002670661,'b7f782bdc5c14e1ba724dfe5bd7452f8',0,0);
INSERT INTO metrics VALUES('loss',0.0,1796002670711,'b7f782bdc5c14e1ba724dfe5bd7452f8',0,1);
INSERT INTO metrics VALUES('time',9.0,1796002671048,'82fe0330c0d54e6eb3c7bc715b460adb',0,0);
CREATE TABLE IF NOT EXISTS "params" (
	"key" VARCHAR(250) NOT NULL,
	value VARCHAR(8000) NOT NULL,
	run_uuid VARCHAR(32) NOT NULL,
	CONSTRAINT param_pk PRIMARY KEY ("key", run_uuid),
	FOREIGN KEY(run_uuid) REFERENCES runs (run_uuid)
);
INSERT INTO params VALUES('partitioner','rcb','b7f782bdc5c14e1ba724dfe5bd7452f8');
INSERT INTO params VALUES('block_size','128','b7f782bdc5c14e1ba724dfe5bd7452f8');
INSERT INTO params VALUES('partitioner','metis','00f564d41b1e4595a3411d2466dd72cd');
CREATE TABLE IF NOT EXISTS "tags" (
	"key" VARCHAR(250) NOT NULL,
	value VARCHAR(8000),
	run_uuid VARCHAR(32) NOT NULL,
	CONSTRAINT tag_pk PRIMARY KEY ("key", run_uuid),
	FOREIGN KEY(run_uuid) REFERENCES runs (run_uuid)
);
INSERT INTO tags VALUES('mlflow.user','root','b7f782bdc5c14e1ba724dfe5bd7452f8');
INSERT INTO tags VALUES('mlflow.source.name','m.py','b7f782bdc5c14e1ba724dfe5bd7452f8');
INSERT INTO tags VALUES('mlflow.source.type','LOCAL','b7f782bdc5c14e1ba724dfe5bd7452f8');
INSERT INTO tags VALUES('mlflow.runName','rcb, blocks of 128','b7f782bdc5c14e1ba724dfe5bd7452f8');
INSERT INTO tags VALUES('git','2fa9c40a','b7f782bdc5c14e1ba724dfe5bd7452f8');
INSERT INTO tags VALUES('mlflow.user','root','00f564d41b1e4595a3411d2466dd72cd');
INSERT INTO tags VALUES('mlflow.source.name','m.py','00f564d41b1e4595a3411d2466dd72cd');
INSERT INTO tags VALUES('mlflow.source.type','LOCAL','00f564d41b1e4595a3411d2466dd72cd');
INSERT INTO tags VALUES('mlflow.runName','broken','00f564d41b1e4595a3411d2466dd72cd');
INSERT INTO tags VALUES('mlflow.user','root','82fe0330c0d54e6eb3c7bc715b460adb');
INSERT INTO tags VALUES('mlflow.source.name','m.py','82fe0330c0d54e6eb3c7bc715b460adb');
INSERT INTO tags VALUES('mlflow.source.type','LOCAL','82fe0330c0d54e6eb3c7bc715b460adb');
INSERT INTO tags VALUES('mlflow.runName','deleted','82fe0330c0d54e6eb3c7bc715b460adb');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO alembic_version VALUES('dc11669786a5');
